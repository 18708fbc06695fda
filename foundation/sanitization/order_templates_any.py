"""Templates of no language: chat markup, role headings and tool calls."""

from __future__ import annotations

from foundation.sanitization.rules import order_template

TEMPLATES = (
    order_template(
        "role_markup",
        "<|inst]",
        r"<\|(?:im_start|im_end|system|user|assistant|end\w*|start_\w+|begin_\w+|eot_id)\|>",
        r"\[/?inst\]|<</?sys>>|</?(?:system|developer|admin)>",
    ),
    order_template(
        "role_heading",
        "system|系统",
        r"(?:^|\n)[^\S\n]*+#{1,4}\s*(?:system|系统)\s*[:：]",
        r"(?:^|\n)[^\S\n]*+system\s*+(?:(?:message|prompt|note)\s*+)?:\s*+"
        r"(?:you|confirm|ignore|from now|approve|print|reveal|你|请|直接|批准|关闭)",
        r"\[system\]\s*(?:\(#|you|ignore)",
        r"[【\[](?:系统(?:指令|命令))[】\]]|(?:^|\n)[^\S\n]*+系统(?:指令|命令)\s*[:：]",
    ),
    order_template(
        "tool_call",
        "tool_call|function_call|<invoke|tool_use|action input|arguments|parameters",
        r"<(?:tool_calls?|function_calls?|tool_use|invoke)\b",
        r"\"(?:tool_calls?|function_call|tool_use)\"\s*:",
        r"\"name\"\s*:\s*\"\w{1,64}\"\s*,\s*\"(?:arguments|parameters)\"\s*:",
        r"\baction\s*:\s*\w{1,64}\s+action input\s*:",
    ),
)
