"""The classes of Transformers, and what each sets: the text's preparation, the roles and the template.

A class with parts of its own makes its tokenizer from the vocabulary and the merges alone. What a `tokenizer.json` says
of normalization and split does not count then; only its template does, where the class has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bpe_studio.engine.encoding.tokenizer_model import Part
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.huggingface.writing import replacement, template_json
from bpe_studio.files.third_party.auto_tokenizer.added_tokens import AddedTokens

JsonObject = dict[str, Any]
GENERIC = "TokenizersBackend"
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
_END = "<|endoftext|>"
_QWEN3_5_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_CLIP_SPLIT = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


_LANGUAGES = (
    "en=english zh=chinese de=german es=spanish ru=russian ko=korean fr=french ja=japanese pt=portuguese tr=turkish "
    "pl=polish ca=catalan nl=dutch ar=arabic sv=swedish it=italian id=indonesian hi=hindi fi=finnish vi=vietnamese "
    "he=hebrew uk=ukrainian el=greek ms=malay cs=czech ro=romanian da=danish hu=hungarian ta=tamil no=norwegian "
    "th=thai ur=urdu hr=croatian bg=bulgarian lt=lithuanian la=latin mi=maori ml=malayalam cy=welsh sk=slovak "
    "te=telugu fa=persian lv=latvian bn=bengali sr=serbian az=azerbaijani sl=slovenian kn=kannada et=estonian "
    "mk=macedonian br=breton eu=basque is=icelandic hy=armenian ne=nepali mn=mongolian bs=bosnian kk=kazakh "
    "sq=albanian sw=swahili gl=galician mr=marathi pa=punjabi si=sinhala km=khmer sn=shona yo=yoruba so=somali "
    "af=afrikaans oc=occitan ka=georgian be=belarusian tg=tajik sd=sindhi gu=gujarati am=amharic yi=yiddish lo=lao "
    "uz=uzbek fo=faroese ht=haitian_creole ps=pashto tk=turkmen nn=nynorsk mt=maltese sa=sanskrit lb=luxembourgish "
    "my=myanmar bo=tibetan tl=tagalog mg=malagasy as=assamese tt=tatar haw=hawaiian ln=lingala ha=hausa ba=bashkir "
    "jw=javanese su=sundanese yue=cantonese"
)
"""The languages of Whisper, in the order of their tokens."""
_OTHER_NAMES = (
    "my=burmese ca=valencian nl=flemish ht=haitian lb=letzeburgesch ps=pushto pa=panjabi ro=moldavian ro=moldovan "
    "si=sinhalese es=castilian zh=mandarin"
)


class Settings:
    """What the files say to a class, with its defaults.

    Attributes:
        values: by name; roles are texts, added tokens or `None`.
        table: the characters that a SentencePiece model replaces, in base64; empty for none.
    """

    def __init__(self, values: Mapping[str, Any], table: str = "") -> None:
        self.values, self.table = values, table

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A setting that is true or false.

        Raises:
            TokenizerFormatError: it is neither.
        """
        value = self.values.get(name, default)
        if not isinstance(value, bool):
            raise TokenizerFormatError(f"{name!r} is {repr(value)[:40]}, not true or false")
        return value

    def text(self, role: str) -> str:
        """The token of a role, as Python writes it."""
        return str(self.values.get(role))

    def token(self, role: str) -> str:
        """The token of a role.

        Raises:
            TokenizerFormatError: there is none.
        """
        if self.values.get(role) is None:
            raise TokenizerFormatError(f"its class needs {role}, which is null")
        return self.text(role)


MakesTemplate = Callable[[Settings, AddedTokens], "Template"]


@dataclass(frozen=True)
class TokenizerClass:
    """A class of Transformers.

    Attributes:
        model: the type of its model.
        parts: makes the parts of the tokenizer and the settings of its model.
        roles: the tokens of the roles that the files do not name; `None` where there is none for sure.
        vocab_file: the file of its vocabulary where there is no `tokenizer.json`.
        template: makes the template from the settings; `None`: that of the file, or one by `add_bos_token`.
        padding_side: where a batch is filled up.
        adds_again: whether all special tokens are added once more: "plain" without their flags, or "special" with them.
        pieces: makes the vocabulary from the pieces of a SentencePiece model; `None` for those pieces.
        extra: makes the extra special tokens of the class, given those of the files.
        ignores_template: whether the template of the file never counts.
        strips_before_mask: whether the mask takes the space before it.
        has_types: whether its model input has the type ids of tokens, if no file says it.
    """

    model: str
    parts: Callable[[Settings], JsonObject]
    roles: Mapping[str, str | None]
    vocab_file: str = "vocab.json"
    template: MakesTemplate | None = None
    padding_side: str = "right"
    adds_again: str = ""
    pieces: Callable[[Settings, list[list[Any]]], list[list[Any]]] | None = None
    extra: Callable[[Settings, Sequence[Any] | None], list[Any]] | None = None
    ignores_template: bool = False
    strips_before_mask: bool = False
    has_types: bool = False


@dataclass(frozen=True)
class Template:
    """Special tokens around a text, and two: names, and the numbers of the texts, each with a type id.

    Attributes:
        single, pair: the parts.
        as_roberta: whether it is written as `RobertaProcessing`, with its two flags.
        ids: the token whose id a name stands for, where it is another one.
    """

    single: Sequence[Part]
    pair: Sequence[Part]
    as_roberta: Mapping[str, bool] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)

    def json(self, id_of: Callable[[str], int | None]) -> JsonObject:
        """The post-processor.

        Raises:
            TokenizerFormatError: a name cannot be written in a template of Transformers, or is no token.
        """
        names = list(dict.fromkeys(name for name, _ in (*self.single, *self.pair) if isinstance(name, str)))
        ids: dict[str, int] = {}
        for name in names:
            number = id_of(self.ids.get(name, name))
            if number is None or (not self.as_roberta and (" " in name or ":" in name or name[:1] in ("", "$"))):
                raise TokenizerFormatError(f"the token {name[:40]!r} cannot be in a template")
            ids[name] = number
        if self.as_roberta:
            before, after = self.single[0][0], self.single[-1][0]
            ends = {"sep": [after, ids[str(after)]], "cls": [before, ids[str(before)]]}
            return {"type": "RobertaProcessing", **ends, **self.as_roberta}
        return template_json(self.single, self.pair, ids)


def bos_and_eos(bos: str | None, eos: str | None) -> Template:
    """The template of `add_bos_token` and `add_eos_token`."""
    halves: list[list[Part]] = [
        [*([(bos, n)] if bos is not None else []), (n, n), *([(eos, n)] if eos is not None else [])] for n in (0, 1)
    ]
    return Template(halves[0], [*halves[0], *halves[1]])


def _around(before: str, after: str, *, types: bool = False, twice: bool = False) -> MakesTemplate:
    """A template of two roles, with type ids for the second text or not, and with two tokens between texts or one."""

    def made(settings: Settings, _: AddedTokens) -> Template:
        first, last = settings.token(before), settings.token(after)
        single: list[Part] = [(first, 0), (0, 0), (last, 0)]
        return Template(single, [*single, *([(last, 0)] if twice else []), (1, int(types)), (last, int(types))])

    return made


def _as_roberta(before: str, after: str, **flags: bool) -> MakesTemplate:
    """A template of two roles, as `RobertaProcessing`, with its two flags; those that are not given are settings."""

    def made(settings: Settings, _: AddedTokens) -> Template:
        usual = {"trim_offsets": True, "add_prefix_space": False}
        chosen = flags or {name: settings.flag(name, default=default) for name, default in usual.items()}
        return Template([(settings.token(before), 0), (0, 0), (settings.token(after), 0)], [], chosen)

    return made


def _whisper(settings: Settings, tokens: AddedTokens) -> Template:
    """The tokens that tell Whisper what to do; of a vocabulary without them, the unknown token stands for each."""
    language, task, eos = settings.values.get("language"), settings.values.get("task"), settings.token("eos_token")
    if task not in (None, "translate", "transcribe"):
        raise TokenizerFormatError(f"'task' is {repr(task)[:40]}, not translate or transcribe")
    names = ["<|startoftranscript|>", *([] if task is None else [f"<|{task}|>"])]
    names += [] if settings.values.get("predict_timestamps", False) else ["<|notimestamps|>"]
    known = [name if tokens.id_of(name) is not None else settings.token("unk_token") for name in names]
    if language is not None:
        number = (tokens.id_of(known[0]) or 0) + 1 + _language(language)
        known.insert(1, tokens.name_of(number))
    parts: list[Part] = [(name, 0) for name in known]
    return Template([*parts, (0, 0), (eos, 0)], [*parts, (0, 0), (1, 1), (eos, 1)])


def _language(name: object) -> int:
    """The number of a language of Whisper, by its name or code."""
    named = [pair.split("=") for pair in _LANGUAGES.split()]
    codes = [code for code, _ in named]
    names = {name.replace("_", " "): code for code, name in (*named, *(one.split("=") for one in _OTHER_NAMES.split()))}
    code = names.get(str(name).lower(), str(name).lower())
    if code not in codes:
        raise TokenizerFormatError(f"'language' is {repr(name)[:40]}, which Whisper does not know")
    return codes.index(code)


def _t5_template(settings: Settings, _: AddedTokens) -> Template:
    single: list[Part] = [(0, 0), ("</s>", 0)]
    return Template(single, [*single, (1, 0), ("</s>", 0)], ids={"</s>": settings.token("eos_token")})


def _bytes(settings: Settings, **changed: Any) -> JsonObject:
    prefix = settings.flag("add_prefix_space")
    return {"pre_tokenizer": {**_BYTES, "add_prefix_space": prefix}, "decoder": _BYTES, **changed}


def _codegen(settings: Settings) -> JsonObject:
    return _bytes(settings, post_processor={**_BYTES, "trim_offsets": False})


def _neox(settings: Settings) -> JsonObject:
    parts = _bytes(settings, normalizer={"type": "NFC"})
    parts["pre_tokenizer"]["trim_offsets"] = settings.flag("trim_offsets", default=True)
    return parts


def _cohere(settings: Settings) -> JsonObject:
    parts = _bytes(settings, normalizer={"type": "NFC"})
    digits = {"type": "Digits", "individual_digits": True}
    return {**parts, "pre_tokenizer": _sequence("pretokenizers", digits, parts["pre_tokenizer"])}


def _qwen3_5(settings: Settings) -> JsonObject:
    parts = _qwen2(settings)
    parts["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": _QWEN3_5_SPLIT}
    return parts


def _qwen2(settings: Settings) -> JsonObject:
    prefix = settings.values.get("add_prefix_space") is not None and settings.flag("add_prefix_space")
    split = {"type": "Split", "pattern": {"Regex": PATTERNS["qwen2"]}, "behavior": "Isolated", "invert": False}
    parts = _sequence("pretokenizers", split, {**_BYTES, "add_prefix_space": prefix, "use_regex": False})
    return {"normalizer": {"type": "NFC"}, "pre_tokenizer": parts, "decoder": _BYTES}


def _clip(settings: Settings) -> JsonObject:
    split = {"type": "Split", "pattern": {"Regex": _CLIP_SPLIT}, "behavior": "Removed", "invert": True}
    spaces = replacement({"Regex": r"\s+"}, " ")
    return {
        "model": {"end_of_word_suffix": "</w>", "unk_token": settings.text("unk_token")},
        "normalizer": _sequence("normalizers", {"type": "NFC"}, spaces, {"type": "Lowercase"}),
        "pre_tokenizer": _sequence("pretokenizers", split, {**_BYTES, "add_prefix_space": False}),
        "decoder": _sequence("decoders", _BYTES, replacement({"String": "</w>"}, " ")),
    }


def _openai(settings: Settings) -> JsonObject:
    cleaning = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return {
        "model": {"end_of_word_suffix": "</w>", "unk_token": settings.text("unk_token")},
        "normalizer": {"type": "BertNormalizer", **cleaning},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
    }


def _bert(settings: Settings) -> JsonObject:
    strips = settings.values.get("strip_accents")
    return {
        "model": {"unk_token": settings.text("unk_token")},
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.flag("tokenize_chinese_chars", default=True),
            "strip_accents": None if strips is None else settings.flag("strip_accents"),
            "lowercase": settings.flag("do_lower_case", default=True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    }


def metaspace(scheme: str, *, split: bool) -> JsonObject:
    """The pre-tokenizer that writes `▁` for a space, and one before a text."""
    return {"type": "Metaspace", "replacement": WORD_START, "prepend_scheme": scheme, "split": split}


def _llama(settings: Settings) -> JsonObject:
    prefix = settings.values.get("add_prefix_space")
    prefix = True if prefix is None else bool(prefix)
    scheme = "never" if not prefix else "always" if settings.values.get("legacy", False) else "first"
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    return {
        "model": {"fuse_unk": True, "byte_fallback": True},
        "pre_tokenizer": metaspace(scheme, split=False),
        "decoder": _sequence("decoders", *PIECES_AS_TEXT, *([strip] if prefix else [])),
    }


def _gemma(settings: Settings) -> JsonObject:
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return {
        "model": {"fuse_unk": True, "byte_fallback": True, "unk_token": settings.text("unk_token")},
        "normalizer": replacement({"String": " "}, WORD_START),
        "pre_tokenizer": split,
        "decoder": _sequence("decoders", *PIECES_AS_TEXT),
    }


PIECES_AS_TEXT = (
    replacement({"String": WORD_START}, " "),
    {"type": "ByteFallback"},
    {"type": "Fuse"},
)


def _xlm_roberta(settings: Settings, *, unk_id: int = 3) -> JsonObject:
    scheme = "always" if settings.values.get("add_prefix_space", True) else "never"
    marks = metaspace(scheme, split=True)
    table = {"type": "Precompiled", "precompiled_charsmap": settings.table}
    return {
        "model": {"unk_id": unk_id},
        "normalizer": table if settings.table else None,
        "pre_tokenizer": _sequence("pretokenizers", {"type": "WhitespaceSplit"}, marks),
        "decoder": marks,
    }


def _t5(settings: Settings) -> JsonObject:
    return _xlm_roberta(Settings({}, settings.table), unk_id=2)


def _fairseq_pieces(settings: Settings, pieces: list[list[Any]]) -> list[list[Any]]:
    """XLM-R numbers its first four tokens in another order than the model, and has a mask after all pieces."""
    first = [[settings.text(role), 0.0] for role in ("bos_token", "pad_token", "eos_token", "unk_token")]
    return [*first, *pieces[3:], [settings.text("mask_token"), 0.0]]


def _t5_pieces(settings: Settings, pieces: list[list[Any]]) -> list[list[Any]]:
    return pieces + [[f"<extra_id_{n}>", 0.0] for n in range(_n_extra(settings) - 1, -1, -1)]


def _t5_extra(settings: Settings, given: Sequence[Any] | None) -> list[Any]:
    """The tokens that T5 adds; those that the files list are used if they have some of these."""
    names: list[Any] = [f"<extra_id_{n}>" for n in range(_n_extra(settings))]
    if given is None:
        return names
    found = [one for one in given if "<extra_id_" in str(one)]
    if not found:
        return [*given, *names]
    if _n_extra(settings) > 0 and len(found) != _n_extra(settings):
        raise TokenizerFormatError(
            f"'extra_ids' is {_n_extra(settings)}, but {len(found)} of the special tokens are of this kind"
        )
    return list(given)


def _n_extra(settings: Settings) -> int:
    value = settings.values.get("extra_ids", 100)
    if not isinstance(value, int) or isinstance(value, bool) or value > 10_000:
        raise TokenizerFormatError(f"'extra_ids' is {repr(value)[:40]}, not a small number")
    return value


def _sequence(key: str, *parts: JsonObject) -> JsonObject:
    return {"type": "Sequence", key: list(parts)}


def _roles(**names: str | None) -> dict[str, str | None]:
    return {f"{role}_token": name for role, name in names.items()}


_GPT2_ROLES = _roles(unk=_END, bos=_END, eos=_END)
_FAIRSEQ_ROLES = _roles(
    bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>"
)  # fmt: skip
_BERT_ROLES = _roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
_DEBERTA_ROLES = _roles(
    bos="[CLS]", eos="[SEP]", sep="[SEP]", cls="[CLS]", unk="[UNK]", pad="[PAD]", mask="[MASK]"
)  # fmt: skip
_MPNET_ROLES = {**_FAIRSEQ_ROLES, **_roles(unk="[UNK]")}
_BERT = TokenizerClass(
    "WordPiece", _bert, _BERT_ROLES, "vocab.txt", template=_around("cls_token", "sep_token", types=True)
)
CLASSES: Mapping[str, TokenizerClass] = {
    "GPT2Tokenizer": TokenizerClass("BPE", _bytes, {**_GPT2_ROLES, **_roles(pad=None)}),
    "CodeGenTokenizer": TokenizerClass("BPE", _codegen, {**_GPT2_ROLES, **_roles(pad=None)}),
    "WhisperTokenizer": TokenizerClass("BPE", _bytes, _GPT2_ROLES, template=_whisper),
    "Qwen2Tokenizer": TokenizerClass("BPE", _qwen2, _roles(unk=_END, eos=_END, pad=_END), adds_again="plain"),
    "GPTNeoXTokenizer": TokenizerClass(
        "BPE", _neox, {**_GPT2_ROLES, **_roles(pad="<|padding|>")}, ignores_template=True
    ),
    "RobertaTokenizer": TokenizerClass("BPE", _bytes, _FAIRSEQ_ROLES, template=_as_roberta("cls_token", "sep_token")),
    "CLIPTokenizer": TokenizerClass(
        "BPE", _clip, _roles(unk=_END, bos="<|startoftext|>", eos=_END, pad=_END),
        template=_as_roberta("bos_token", "eos_token", trim_offsets=False, add_prefix_space=False),
    ),
    "OpenAIGPTTokenizer": TokenizerClass("BPE", _openai, _roles(unk="<unk>")),
    "LlamaTokenizer": TokenizerClass(
        "BPE", _llama, _roles(unk="<unk>", bos="<s>", eos="</s>"), "tokenizer.model", padding_side="left"
    ),
    "GemmaTokenizer": TokenizerClass(
        "BPE", _gemma, _roles(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>"), "",
        padding_side="left",
    ),
    "XLMRobertaTokenizer": TokenizerClass(
        "Unigram", _xlm_roberta, _FAIRSEQ_ROLES, "sentencepiece.bpe.model",
        template=_around("bos_token", "eos_token", twice=True), pieces=_fairseq_pieces,
    ),
    "T5Tokenizer": TokenizerClass(
        "Unigram", _t5, _roles(eos="</s>", unk="<unk>", pad="<pad>"), "spiece.model",
        template=_t5_template, pieces=_t5_pieces, extra=_t5_extra,
    ),
    "CohereTokenizer": TokenizerClass(
        "BPE", _cohere,
        _roles(unk="<UNK>", bos="<BOS_TOKEN>", eos="<|END_OF_TURN_TOKEN|>", pad="<PAD>", cls="<CLS>", sep="<SEP>",
               mask="<MASK_TOKEN>"),
        padding_side="left", adds_again="special",
    ),
    "DebertaTokenizer": TokenizerClass(
        "BPE", _bytes, _DEBERTA_ROLES, template=_around("cls_token", "sep_token", twice=True), has_types=True,
    ),
    "MPNetTokenizer": TokenizerClass(
        "WordPiece", _bert, _MPNET_ROLES, "vocab.txt",
        template=_as_roberta("cls_token", "sep_token", trim_offsets=True, add_prefix_space=False),
        strips_before_mask=True,
    ),
    "Qwen3_5Tokenizer": TokenizerClass("BPE", _qwen3_5, _roles(unk=_END, eos=_END, pad=_END), ""),
    "BertTokenizer": replace(_BERT, has_types=True),
    "DistilBertTokenizer": _BERT,
}  # fmt: skip
"""The classes whose tokenizers are made here."""
