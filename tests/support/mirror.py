"""A small Git repository in the shape of the public statute mirror."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


class Mirror:
    """Each `amend` is one commit dated with its promulgation, as in the mirror."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")

    def amend(
        self,
        path: str,
        *,
        name: str,
        law_id: str,
        promulgated: str,
        effective: str,
        change: str,
        articles: Mapping[str, str],
        kind: str = "법률",
    ) -> None:
        """Writes one version of a law; a heading of 삭제 is written as the mirror writes deleted articles."""
        file = self.folder / "kr" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_markdown(name, law_id, kind, promulgated, effective, articles), encoding="utf-8")
        self._git("add", "-A")
        moment = f"{max(promulgated, '1970-01-01')}T12:00:00+09:00"
        self._git("commit", "-q", "-m", f"{kind}: {name} ({change})", moment=moment)

    def _git(self, *arguments: str, moment: str = "2026-01-01T00:00:00+09:00") -> None:
        environment = {
            "GIT_AUTHOR_DATE": moment,
            "GIT_COMMITTER_DATE": moment,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "PATH": "/usr/bin:/bin",
        }
        identity = ["-c", "user.name=mirror", "-c", "user.email=mirror@example.org"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, env=environment, check=True, capture_output=True
        )


def _markdown(name: str, law_id: str, kind: str, promulgated: str, effective: str, articles: Mapping[str, str]) -> str:
    body = "".join(_article(number, heading, effective) for number, heading in articles.items())
    return f"""---
제목: {name}
법령MST: 12345
법령ID: "{law_id}"
법령구분: {kind}
법령구분코드: A0002
소관부처:
  - 법무부
공포일자: {promulgated}
공포번호: "20000"
시행일자: {effective}
상태: 시행
출처: https://www.law.go.kr/법령/{name.replace(" ", "")}
---

# {name}

## 제1장 총칙

{body}## 부칙

부칙 <제20000호,{promulgated}>
제1조(시행일) 이 법은 공포한 날부터 시행한다.
##### 제999조 (부칙에 있는 것)
"""


def _article(number: str, heading: str, effective: str) -> str:
    if heading == "삭제":
        return f"##### {number}\n\n삭제 <2024.1.1>\n\n"
    return f"##### {number} ({heading})\n\n**①** {heading}에 관한 글로, {effective}부터 이렇게 적혀 있다.\n\n  1\\. 첫째\n\n"
