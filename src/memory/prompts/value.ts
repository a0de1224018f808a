import type { Json } from '../../core/index.ts'

/**
 * Invisible characters: the usual way to hide instructions in data. Bidirectional marks and terminal controls are removed too, because with
 * them the displayed text differs from the actual one.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`[\0-\x08\v\f\x0E-\x1F\x7F-\x9F]`,
    String.raw`[\u00AD\u061C\u115F\u1160\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]`,
    String.raw`[\u034F\u17B4\u17B5\u180B-\u180F\uFE00-\uFE0F]`,
    String.raw`[\u{E0000}-\u{E0FFF}]`,
  ].join('|'),
  'gu',
)
/** Tags with which models and their hosts mark speakers. */
const ROLES =
  'system|user|human|assistant|developer|tool|instructions|tool_call|tool_calls|tool_result|tool_results|tool_use|function_call|function_calls|function_results|invoke|parameter|im_start|im_end|antml:[a-z_]+|start_of_turn|end_of_turn|bos|eos|s|think'
const TAG = /<\/?([A-Za-z][\w:-]{0,63})[^<>]{0,256}>/g
/** The beginning of a turn where a conversation is written as text. */
const TURN = /^([ \t]{0,8}(?:#{1,6} ?)?)(Human|Assistant|System|User|Developer)(?=[ \t]{0,4}:)/gim
const SPECIAL = /<\|([^|<>]{1,64})\|>/g
/** Markers of other model families: Llama and Mistral write turns in brackets, some with full-width bars. */
const BRACKETED =
  /\[(\/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|PREFIX|SUFFIX|MIDDLE))\]|<<(\/?SYS)>>|<\uFF5C([^\uFF5C<>]{1,64})\uFF5C>/gi
/** The maximum length of one value in a prompt. */
const VALUE_MAX = 1_000_000

/** Formats a value for a prompt. */
export type WriteValue = (value: Json) => string

/**
 * Creates a function that formats values as data: they cannot become part of the structure around them. Tags that the template itself uses, and tags
 * and words that mark speakers, are changed so that they lose their effect; a value that is too long is truncated and marked.
 */
export function valueWriter(template: string): WriteValue {
  const used = new Set([...template.matchAll(TAG)].map((match) => match[1]!.toLowerCase()))
  const role = new RegExp(`^(?:${ROLES})$`, 'i')
  const isStructure = (name: string): boolean => used.has(name.toLowerCase()) || role.test(name)
  return (value) => {
    const text = (typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)).replace(
      INVISIBLE,
      '',
    )
    const short =
      text.length <= VALUE_MAX
        ? text
        : `${text.slice(0, VALUE_MAX)}… [${text.length - VALUE_MAX} more characters left out]`
    if (!/[<:[]/.test(short)) return short
    return short
      .replace(TAG, (tag, name: string) => (isStructure(name) ? `&lt;${tag.slice(1, -1)}&gt;` : tag))
      .replace(SPECIAL, '&lt;|$1|&gt;')
      .replace(BRACKETED, (_, bracket?: string, angle?: string, bar?: string) => `(${bracket ?? angle ?? bar ?? ''})`)
      .replace(TURN, '$1"$2"')
  }
}
