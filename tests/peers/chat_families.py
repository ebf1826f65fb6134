"""Chat templates in the manner of the published families, each with what is peculiar to it."""

from __future__ import annotations

CHATML = """\
{% for message in messages %}
    {%- if loop.first and message['role'] != 'system' %}
        {{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""

LLAMA2 = """\
{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}\
{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}\
{% set system_message = false %}{% endif %}{% for message in loop_messages %}\
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}\
{% if loop.index0 == 0 and system_message != false %}\
{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}\
{% else %}{% set content = message['content'] %}{% endif %}\
{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}\
{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}"""

LLAMA3 = """\
{{- bos_token }}
{%- if not date_string is defined %}{%- set date_string = strftime_now("%Y") %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday: " + date_string + "\\n" }}
{%- if tools is not none %}
    {{- "You have access to the following functions:\\n\\n" }}
    {%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}
{%- endif %}
{{- system_message }}{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}
        {{- message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}{{- raise_exception("Only one tool-call at once!") }}{%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '{"name": "' + tool_call.name + '", "parameters": ' }}{{- tool_call.arguments | tojson }}{{- "}" }}
    {%- else %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}{{- message.content | tojson }}
        {%- else %}{{- message.content }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}
"""

MISTRAL = """\
{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or message.tool_calls is defined) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.function.items() if key != "return" %}
                    {%- if val is string %}{{- '"' + key + '": "' + val + '"' }}
                    {%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}
                    {%- if not loop.last %}{{- ", " }}{%- endif %}
                {%- endfor %}{{- "}}" }}
                {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" }}{%- endif %}
            {%- endfor %}{{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {{- "[INST] " + (system_message + "\\n\\n" if loop.last and system_message is defined else "") }}
        {{- message["content"] + "[/INST]" }}
    {%- elif message["role"] == "assistant" and message.tool_calls is not defined %}
        {{- " " + message["content"]|trim + eos_token }}
    {%- endif %}
{%- endfor %}"""

GEMMA = """\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}\
{% for message in messages %}{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}\
{{ '<start_of_turn>' + role + '\\n' }}\
{% if message['content'] is string %}{{ message['content'] | trim }}{% elif message['content'] is iterable %}\
{% for item in message['content'] %}{% if item['type'] == 'image' %}{{ '<start_of_image>' }}\
{% elif item['type'] == 'text' %}{{ item['text'] | trim }}{% endif %}{% endfor %}\
{% else %}{{ raise_exception("Invalid content type") }}{% endif %}{{ '<end_of_turn>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}"""

REASONING = """\
{%- macro turn(name, text='') %}<|{{ name }}|>{{ text }}{% endmacro %}
{%- set ns = namespace(last=-1) %}
{%- for message in messages[::-1] %}
    {%- if message.role == 'user' %}{% set ns.last = (messages|length - 1) - loop.index0 %}{% break %}{% endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {%- set content = message.content if message.content is string else '' %}
        {%- if message.reasoning_content is string %}{% set thought = message.reasoning_content %}
        {%- elif '</think>' in content %}{% set thought = content.split('</think>')[0].split('<think>')[-1] %}
        {%- else %}{% set thought = '' %}{% endif %}
        {%- generation %}
        {%- if loop.index0 > ns.last %}{{ turn('think', thought.strip('\\n')) }}{% endif %}
        {{- turn('assistant', content.split('</think>')[-1].lstrip('\\n')) }}{{ eos_token }}
        {%- endgeneration %}
    {%- elif message.role == 'tool' %}{% continue %}
    {%- else %}{{ turn(message.role, message.content) }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ turn('assistant') }}{% if enable_thinking is false %}{{ turn('think') }}{% endif %}\
{% endif %}"""

DOCUMENTS = """\
{{ bos_token }}{% if documents %}# Documents
{% for document in documents %}
## {{ document['title'] | upper }}{{ '' if document.text is not defined else ': ' ~ document.text }}
{% endfor %}
{% endif %}
{% for message in messages | rejectattr('role', 'equalto', 'system') %}
{{ loop.cycle('>', '<') }} {{ message.role.title() | indent(2) }}: {{ message.content | string | replace('\\n', ' ') }}
{% endfor %}
{{ dict(n=messages | length) | tojson(sort_keys=true, separators=(',', ':')) }}{{ image_token }}{{ unk_token }}"""

WRONG = "{{ messages[0].content.nothing.at_all }}"
NOT_VALID = "{% for message in messages %}{{ message }}"
UNSAFE = "{% set _ = messages.append(messages[0]) %}{{ messages }}"

FAMILIES = {
    "chatml": CHATML,
    "llama2": LLAMA2,
    "llama3": LLAMA3,
    "mistral": MISTRAL,
    "gemma": GEMMA,
    "reasoning": REASONING,
    "documents": DOCUMENTS,
    "wrong": WRONG,
    "not valid": NOT_VALID,
    "unsafe": UNSAFE,
}
NEVER = ("wrong", "not valid", "unsafe")
"""Those that no chat can be made with."""

HOSTILE = {
    "a loop without end": (
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    ),
    "one long operation": "{{ lipsum(n=10**8) }}",
    "a huge text": "{{ 'x' * 10**10 }}",
    "a huge output": "{% for i in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
    "a huge width": "{{ '%9999999999s' % 1 }}",
    "attributes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ cycler.__init__.__globals__ }}",
    "a namespace": "{% set ns = namespace(_a=1) %}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "files": "{% include '/etc/passwd' %}",
    "deep syntax": "{{ " + "(" * 9999 + ")" * 9999 + " }}",
}
