"""Client of a running Varve: layered memory for AI agents, over HTTP."""

from ._errors import VarveError
from ._operations import Varve

__all__ = ["Varve", "VarveError"]
