"""The one module that trains: TRL's DPOTrainer with settings that hold on CPUs and GPUs.

TRL's defaults are made for GPUs: bf16 and gradient checkpointing are on, and both are slow on a CPU.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyeol.dpo import checkpoint
from gyeol.dpo.dataset import Pairs
from gyeol.dpo.errors import DivergedError, ParameterError
from gyeol.dpo.group import Group
from gyeol.dpo.parameter import Parameters
from gyeol.dpo.report import Report

if TYPE_CHECKING:
    from trl import DPOTrainer

_COLUMNS = ("prompt", "chosen", "rejected")
_ENDED: list[DPOTrainer] = []
"""Keeps what trained in a group of processes alive. Freed, it waits for gloo's threads while it holds Python's lock,
and such a thread may be waiting for that lock, to free its part of the last barrier: now and then neither ends."""


@dataclass(frozen=True)
class Trained:
    """What a training came to, in the leading process."""

    steps: int
    resumed_from: int
    """Step of the checkpoint it went on from; 0 when it began anew."""
    loss: float
    margin: float | None
    """Mean reward margin over the last quarter of the logged steps; None when nothing was logged."""
    accuracy: float | None
    """Share of pairs whose chosen answer has the higher reward, over the same steps."""
    held_out: dict[str, float]
    """The same on molds that were not trained on; empty when there are none."""


def train(base: Path, pairs: Pairs, parameters: Parameters, output: Path, group: Group, report: Report) -> Trained:
    """Trains, and leaves `adapter/` (LoRA) and `model/` (merged, servable) in `output`.

    Raises:
      DivergedError: The loss is not a number.
      ParameterError: The method or the batch size is impossible here.
    """
    if group.size > 1:
        # An operator that gives each pod one process sets no LOCAL_RANK, and without one it is the pod's first.
        os.environ.setdefault("LOCAL_RANK", "0")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch

    if parameters.method == "QLoRA" and not torch.cuda.is_available():
        raise ParameterError("method QLoRA quantises on a GPU and there is none; use LoRA here")
    import transformers
    from datasets.utils.logging import disable_progress_bar

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    disable_progress_bar()
    transformers.set_seed(parameters.random_seed)
    if group.leads:
        checkpoint.discard_incomplete(output / "checkpoints")
    start = checkpoint.newest(output / "checkpoints")
    trainer = _trainer(base, pairs, parameters, output, group, report)
    step = int(start.name.rsplit("-", 1)[1]) if start else 0
    report.recall(step)
    report.say("training", steps=_steps(trainer), resumed_from=step, processes=group.size)
    result = trainer.train(resume_from_checkpoint=str(start) if start else None)
    if not math.isfinite(result.training_loss):
        raise DivergedError(
            f"the loss is {result.training_loss}: lower training.learningRate ({parameters.learning_rate:g})"
        )
    evaluated = trainer.evaluate() if pairs.held_out else {}
    if group.leads:
        _save(trainer, base, parameters, output)
    if torch.distributed.is_initialized():
        torch.distributed.barrier()
        _ENDED.append(trainer)
        torch.distributed.destroy_process_group()
    margin, accuracy = _late(report.recall(trainer.state.global_step))
    return Trained(
        steps=trainer.state.global_step,
        resumed_from=step,
        loss=float(result.training_loss),
        margin=margin,
        accuracy=accuracy,
        held_out=_held_out(evaluated),
    )


def _trainer(
    base: Path, pairs: Pairs, parameters: Parameters, output: Path, group: Group, report: Report
) -> DPOTrainer:
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import DPOConfig, DPOTrainer

    cuda = torch.cuda.is_available()
    each, accumulation = _batch(parameters.batch_size, group.size, cuda)
    tokenizer = AutoTokenizer.from_pretrained(base)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(base, use_safetensors=True, **_loading(parameters, cuda))
    total = max(1, len(pairs.train) * parameters.epochs // parameters.batch_size)
    settings = DPOConfig(
        output_dir=str(output / "checkpoints"),
        per_device_train_batch_size=each,
        per_device_eval_batch_size=each,
        gradient_accumulation_steps=accumulation,
        num_train_epochs=parameters.epochs,
        learning_rate=parameters.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=math.ceil(total * parameters.warmup_share),
        beta=parameters.beta,
        loss_type=[term.name for term in parameters.loss],
        loss_weights=[term.weight for term in parameters.loss],
        max_length=parameters.max_length,
        bf16=cuda and torch.cuda.is_bf16_supported(),
        use_cpu=not cuda,
        gradient_checkpointing=cuda,
        ddp_find_unused_parameters=False,
        dataloader_num_workers=0,
        max_grad_norm=1.0,
        logging_steps=max(1, total // 40),
        save_strategy="steps",
        save_steps=max(2, total // 6),
        save_total_limit=2,
        seed=parameters.random_seed,
        data_seed=parameters.random_seed,
        disable_tqdm=True,
        report_to="none",
    )
    return DPOTrainer(
        model=model,
        args=settings,
        train_dataset=Dataset.from_list(_columns(pairs.train)),
        eval_dataset=Dataset.from_list(_columns(pairs.held_out)) if pairs.held_out else None,
        processing_class=tokenizer,
        peft_config=_adapter(parameters),
        callbacks=[_callback(report)],
    )


def _loading(parameters: Parameters, cuda: bool) -> dict[str, Any]:
    import torch

    if parameters.method != "QLoRA":
        return {"dtype": torch.bfloat16 if cuda else torch.float32}
    from transformers import BitsAndBytesConfig

    quantised = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=torch.bfloat16,
        bnb_4bit_use_double_quant=True,
    )
    return {"quantization_config": quantised, "dtype": torch.bfloat16}


def _adapter(parameters: Parameters) -> Any:
    if parameters.method == "Full":
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=parameters.adapter.rank,
        lora_alpha=parameters.adapter.alpha,
        lora_dropout=0.05 if parameters.method == "QLoRA" else 0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def _batch(wanted: int, processes: int, cuda: bool) -> tuple[int, int]:
    """Pairs per process and forward pass, and passes per optimizer step."""
    if wanted % processes:
        raise ParameterError(
            f"batchSize {wanted} is no multiple of the {processes} processes; use {processes * max(1, wanted // processes)}"
        )
    each, most = wanted // processes, 4 if cuda else 16
    accumulation = next(count for count in range(1, each + 1) if each % count == 0 and each // count <= most)
    return each // accumulation, accumulation


def _callback(report: Report) -> Any:
    from transformers import TrainerCallback

    class Follow(TrainerCallback):  # type: ignore[misc]
        """Reports logged steps, stops on a loss that is no number, marks checkpoints whole."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:  # noqa: ARG002
            logged = logs or {}
            if "loss" in logged:
                if not math.isfinite(float(logged["loss"])):
                    raise DivergedError(
                        f"the loss is {logged['loss']} at step {state.global_step}: lower training.learningRate"
                    )
                report.step(state.global_step, state.max_steps, logged)

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            import torch

            if torch.distributed.is_initialized():
                torch.distributed.barrier()  # every process writes a random-number state of its own
            if state.is_world_process_zero:
                folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
                if folder.is_dir():
                    checkpoint.complete(folder)

    return Follow()


def _save(trainer: DPOTrainer, base: Path, parameters: Parameters, output: Path) -> None:
    """Writes the adapter and the merged weights; a quantised base is merged into its unquantised weights."""
    model = trainer.accelerator.unwrap_model(trainer.model)
    if parameters.method != "Full":
        model.save_pretrained(output / "adapter", safe_serialization=True)
        if parameters.method == "QLoRA":
            import torch
            from peft import PeftModel
            from transformers import AutoModelForCausalLM

            whole = AutoModelForCausalLM.from_pretrained(base, use_safetensors=True, dtype=torch.bfloat16)
            model = PeftModel.from_pretrained(whole, output / "adapter")
        model = model.merge_and_unload()
    model.save_pretrained(output / "model", safe_serialization=True)
    trainer.processing_class.save_pretrained(output / "model")


def _columns(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in _COLUMNS} for row in rows]


def _steps(trainer: DPOTrainer) -> int:
    batches = math.ceil(len(trainer.get_train_dataloader()) / trainer.args.gradient_accumulation_steps)
    return int(batches * trainer.args.num_train_epochs)


def _late(rows: list[dict[str, float]]) -> tuple[float | None, float | None]:
    late = rows[-max(1, len(rows) // 4) :]
    means = []
    for name in ("margin", "accuracy"):
        values = [row[name] for row in late if name in row]
        means.append(round(sum(values) / len(values), 4) if values else None)
    return means[0], means[1]


def _held_out(evaluated: dict[str, Any]) -> dict[str, float]:
    names = {"eval_loss": "loss", "eval_rewards/margins": "margin", "eval_rewards/accuracies": "accuracy"}
    return {ours: round(float(evaluated[theirs]), 4) for theirs, ours in names.items() if theirs in evaluated}
