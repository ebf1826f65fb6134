"""Which class of Transformers reads a folder: by `tokenizer_config.json`, and by the type of model in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.third_party.auto_tokenizer.classes import CLASSES, GENERIC

_MODEL_TYPES = {
    "BertTokenizer": (
        "align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino "
        "layoutlm megatron-bert mm-grounding-dino nezha nomic_bert qdqbert realm retribert squeezebert tvp vilt "
        "visual_bert"
    ),
    "CLIPTokenizer": "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip",
    "GPT2Tokenizer": (
        "blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip instructblipvideo jais2 "
        "opt phi starcoder2"
    ),
    "GPTNeoXTokenizer": "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm",
    "GemmaTokenizer": (
        "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma zaya"
    ),
    "LlamaTokenizer": "idefics idefics2",
    "Qwen2Tokenizer": (
        "audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr "
        "moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl "
        "qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice"
    ),
    "RobertaTokenizer": (
        "bart bridgetower clap data2vec-text florence2 ibert lilt longformer mega mra roberta roberta-prelayernorm"
    ),
    "T5Tokenizer": "mt5 musicgen musicgen_melody switch_transformers t5",
    "XLMRobertaTokenizer": "gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod",
    GENERIC: (
        "EvollaModel aria beam bigbird_pegasus canary flex_olmo glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe "
        "glm_image glmasr got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid "
        "granitemoeshared kimi_k25 kimi_linear kosmos-2 mimo_v2_flash minicpm_ocr minicpmv4_6 minicpmv4_7 "
        "nemo_speechlm nystromformer olmo2 olmo3 olmo_hybrid omniasr pegasus_x persimmon pix2struct pocket_tts "
        "stablelm umt5 xlm-roberta-xl arctic chatlm ernie4_5 ernie4_5_moe fuyu h2ovl_chat hyperclovax "
        "hyperclovax_vlm internlm2 internlm3 iquestcoder jamba llava llava_next minicpm3 minicpmv minimax_m2 "
        "modernbert modernbert-decoder molmo molmo2 nemotron nvfp4 opencua openvla paddleocr_vl phi3 phi3_v "
        "phimoe step3_vl vipllava cohere_asr camembertv2-base smolvlm ministral ministral3 mistral mistral3 "
        "mistral_large4 mixtral pixtral voxtral voxtral_realtime"
    ),
    "WhisperTokenizer": "whisper",
    "OpenAIGPTTokenizer": "openai-gpt",
}
"""The types of models whose tokenizers are made here, by class."""
_OTHER_TYPES = (
    "albert=Albert aya_vision=Cohere barthez=Barthez bartpho=Bartpho bert-generation=BertGeneration "
    "bert-japanese=BertJapanese bertweet=Bertweet big_bird=BigBird biogpt=BioGpt blenderbot=Blenderbot "
    "blenderbot-small=BlenderbotSmall byt5=ByT5 camembert=Camembert canine=Canine clvp=Clvp code_llama=CodeLlama "
    "cohere=Cohere cohere2=Cohere cpm=Cpm cpmant=CpmAnt ctrl=CTRL data2vec-audio=Wav2Vec2CTC deberta=Deberta "
    "deberta-v2=DebertaV2 dia=Dia dpr=DPRQuestionEncoder esm=Esm esmc=Esmc esmfold2=Esmc "
    "fastspeech2_conformer=FastSpeech2Conformer flaubert=Flaubert fnet=FNet fsmt=FSMT funnel=Funnel "
    "gpt-sw3=GPTSw3 gpt_neox_japanese=GPTNeoXJapanese granite_speech5_ctc=Parakeet herbert=Herbert "
    "hubert=Wav2Vec2CTC lasr_ctc=Lasr lasr_encoder=Lasr layoutlmv2=LayoutLMv2 layoutlmv3=LayoutLMv3 "
    "layoutxlm=LayoutXLM led=LED luke=Luke lxmert=Lxmert m2m_100=M2M100 marian=Marian markuplm=MarkupLM "
    "mbart=MBart mbart50=MBart50 mgp-str=Mgpstr mluke=MLuke mobilebert=MobileBert mpnet=MPNet mvp=Mvp myt5=MyT5 "
    "nemotron3_5_asr=Parakeet nemotron_asr_streaming=Parakeet nllb=Nllb nllb-moe=Nllb nougat=Nougat "
    "omniasr_ctc=Parakeet parakeet_ctc=Parakeet parakeet_rnnt=Parakeet parakeet_tdt=Parakeet pegasus=Pegasus "
    "perceiver=Perceiver phobert=Phobert plbart=PLBart pp_formulanet=Nougat prophetnet=ProphetNet qwen3_5=Qwen3_5 "
    "qwen3_5_moe=Qwen3_5 qwen3_5_moe_text=Qwen3_5 qwen3_5_text=Qwen3_5 qwen4_exp=Qwen3_5 rag=Rag "
    "reformer=Reformer rembert=RemBert roc_bert=RoCBert roformer=RoFormer seamless_m4t=SeamlessM4T "
    "seamless_m4t_v2=SeamlessM4T siglip=Siglip siglip2=Siglip2 speech_to_text=Speech2Text speecht5=SpeechT5 "
    "splinter=Splinter tapas=Tapas tipsv2=Tipsv2 udop=Udop unispeech=Wav2Vec2CTC unispeech-sat=Wav2Vec2CTC "
    "videoprism=VideoPrism vits=Vits wav2vec2=Wav2Vec2CTC wav2vec2-bert=Wav2Vec2CTC "
    "wav2vec2-conformer=Wav2Vec2CTC wav2vec2_phoneme=Wav2Vec2PhonemeCTC xglm=XGLM xlm=XLM xlnet=XLNet yoso=Albert"
)
"""The other types of models, each with the name of its class before `Tokenizer`."""
_CLASS_OF_TYPE = {
    **{kind: name for name, kinds in _MODEL_TYPES.items() for kind in kinds.split()},
    **{kind: f"{name}Tokenizer" for kind, name in (pair.split("=") for pair in _OTHER_TYPES.split())},
}
_OF_CONFIG_ALONE = {
    **dict.fromkeys(
        (
            "barthez", "bartpho", "bert-japanese", "bertweet", "byt5", "code_llama", "cpm", "herbert", "mbart50",
            "mega", "mluke", "myt5", "nezha", "nllb", "phobert", "qdqbert", "realm", "retribert", "wav2vec2_phoneme",
        ),
        GENERIC,
    ),
    "gpt-sw3": "GPT2Tokenizer",
}  # fmt: skip
"""Types with another class if nothing names one, because Transformers asks for the class of their model then."""
_NAMED_WRONGLY = frozenset(
    ("qwen2", "qwen3_5", "qwen3_5_moe", "qwen3_5_moe_text", "qwen4_exp", "siglip2", "hyperclovax_vision_v2")
)
"""Types whose published folders name a wrong class."""
_ALIASES = {
    **dict.fromkeys(("BartTokenizer", "LEDTokenizer", "LongformerTokenizer", "MvpTokenizer"), "RobertaTokenizer"),
    **dict.fromkeys(
        ("ElectraTokenizer", "LayoutLMTokenizer", "LxmertTokenizer", "MobileBertTokenizer", "SqueezeBertTokenizer"),
        "BertTokenizer",
    ),
    "Phi3Tokenizer": "LlamaTokenizer",
}
"""Names that Transformers has no class for any more, each with the class that reads its folders."""
_OTHERS = frozenset(
    {name for name in _CLASS_OF_TYPE.values() if name != GENERIC}
    | {f"{name}Tokenizer" for name in ("ConvBert", "DPRContextEncoder", "DPRReader", "Pop2Piano")}
)
"""The names of all classes that have parts of their own, or need code of their own."""
_GENERIC_NAMES = frozenset(
    (GENERIC, "PreTrainedTokenizer", "PreTrainedTokenizerFast", "PythonBackend", "ParakeetTokenizer", "BloomTokenizer")
)


def class_of(config: Mapping[str, Any], model_config: Mapping[str, Any], *, is_byte_level: bool) -> str:
    """The name of the class, as in `AutoTokenizer.from_pretrained`; `GENERIC` for the one without parts of its own.

    Args:
        config: the `tokenizer_config.json`.
        model_config: the `config.json`.
        is_byte_level: whether the `tokenizer.json` writes bytes as GPT-2 does.

    Raises:
        TokenizerFormatError: a name is no text, or the class is code in the folder.
    """
    own, kind = config.get("tokenizer_class"), model_config.get("model_type")
    named = own or model_config.get("tokenizer_class")
    for value in (own, named, kind):
        if value is not None and not isinstance(value, str):
            raise TokenizerFormatError(f"the class or the type of model is {repr(value)[:40]}, not a text")
    of_type = _CLASS_OF_TYPE.get(kind) if kind else None
    for name, one in (("tokenizer_config.json", config), ("config.json", model_config)):
        if "auto_map" in one and not isinstance(one["auto_map"], dict | list):
            raise TokenizerFormatError(f"'auto_map' in {name} is {repr(one['auto_map'])[:40]}, not an object")
    code = config.get("auto_map")
    code = code.get("AutoTokenizer") if isinstance(code, dict) else code
    if code is not None:
        if of_type is None and (not own or _resolved(own) is None):
            raise TokenizerFormatError("its class is code of its own, which is not run")
    elif named:
        plain = named.removesuffix("Fast")
        is_wrong = kind in _NAMED_WRONGLY or model_config.get("model_name") in _NAMED_WRONGLY
        if plain == "LlamaTokenizer" and is_byte_level and not is_wrong:
            return GENERIC
        if of_type is not None and of_type != plain:
            return GENERIC if of_type == GENERIC else _resolved(of_type if is_wrong else named) or GENERIC
    if named:
        return _resolved(named) or GENERIC
    of_type = _OF_CONFIG_ALONE.get(kind, of_type) if kind else None
    return (_resolved(of_type) if of_type else None) or GENERIC


def _resolved(name: str) -> str | None:
    """The name under which a class is known; `None` if Transformers has no such class."""
    plain = name.removesuffix("Fast")
    plain = _ALIASES.get(plain, plain)
    if name in _GENERIC_NAMES or plain in _GENERIC_NAMES:
        return GENERIC
    return plain if plain in CLASSES or plain in _OTHERS else None
