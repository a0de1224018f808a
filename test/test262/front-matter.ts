/** What a test of the suite says about itself. */
export interface FrontMatter {
  readonly flags: readonly string[]
  readonly features: readonly string[]
  readonly includes: readonly string[]
  readonly negative: { readonly phase: string; readonly type: string } | undefined
}

function listOf(yaml: string, field: string): string[] {
  const inline = new RegExp(`^${field}:\\s*\\[([^\\]]*)\\]`, 'm').exec(yaml)
  if (inline !== null)
    return (inline[1] as string)
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  const block = new RegExp(`^${field}:\\s*\\n((?:\\s+-.*\\n?)+)`, 'm').exec(yaml)
  return block === null
    ? []
    : (block[1] as string)
        .split('\n')
        .map((line) => line.replace(/^\s*-\s*/, '').trim())
        .filter(Boolean)
}

/** Reads the comment between `/*---` and `---*\/`. */
export function readFrontMatter(source: string): FrontMatter {
  const yaml = /\/\*---([\s\S]*?)---\*\//.exec(source)?.[1]?.replaceAll('\r', '') ?? ''
  const negative = /^negative:\s*\n\s+phase:\s*(\w+)\s*\n\s+type:\s*(\w+)/m.exec(yaml)
  return {
    flags: listOf(yaml, 'flags'),
    features: listOf(yaml, 'features'),
    includes: listOf(yaml, 'includes'),
    negative: negative === null ? undefined : { phase: negative[1] as string, type: negative[2] as string },
  }
}
