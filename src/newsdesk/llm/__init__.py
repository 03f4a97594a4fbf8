"""One door to language models: endpoints and local files with a cache, ceilings, retries, and texts that stay data."""

from newsdesk.llm.budget import Ceilings, Usage, estimated_tokens
from newsdesk.llm.door import LanguageModel, counted_only, is_counting, language_model
from newsdesk.llm.nli import Inference, NliModel, nli_model
from newsdesk.llm.prompts import DATA_RULE, compose, data_block, json_in, prompt_id
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt
from newsdesk.llm.settings import ModelSettings, without_running

__all__ = [
    "DATA_RULE",
    "Ceilings",
    "Completion",
    "Inference",
    "LanguageModel",
    "LanguageModelError",
    "ModelSettings",
    "NliModel",
    "Prompt",
    "Usage",
    "compose",
    "counted_only",
    "data_block",
    "estimated_tokens",
    "is_counting",
    "json_in",
    "language_model",
    "nli_model",
    "prompt_id",
    "without_running",
]
