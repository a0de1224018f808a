/** One hostile program, as `test/corpora/escapes.jsonl` has it. */
export interface EscapeCase {
  readonly id: string
  readonly source: 'js' | 'ast-expr'
  readonly code: unknown
  readonly expect: 'blocked' | 'contained' | 'bounded' | 'value'
  readonly error?: string
  readonly value?: unknown
  readonly valueIsUndefined?: boolean
  readonly wrap?: { readonly pre: string; readonly post: string; readonly n: number }
  readonly raw?: boolean
}

/** The program as text, with what is repeated around it. */
export function textOf({ code, wrap }: EscapeCase): string {
  const text = typeof code === 'string' ? code : JSON.stringify(code)
  return wrap === undefined ? text : wrap.pre.repeat(wrap.n) + text + wrap.post.repeat(wrap.n)
}
