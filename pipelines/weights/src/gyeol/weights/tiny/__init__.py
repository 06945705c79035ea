"""`builtin:tiny-ko`: a very small Korean chat model that the project trains itself, as a base to be aligned."""
