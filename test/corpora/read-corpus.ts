import { existsSync, readFileSync } from 'node:fs'

export type CorpusName = 'escapes' | 'fs' | 'secrets' | 'ssrf' | 'taint' | 'tools' | 'web'

/** The cases of a corpus of hostile inputs, one JSON object a line. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its cases look like
export function readCorpus<Case>(name: CorpusName): readonly Case[] {
  return linesOf(`./${name}.jsonl`) as readonly Case[]
}

/** Further cases of the same kinds, which we thought of ourselves. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its cases look like
export function readOwn<Case>(name: CorpusName): readonly Case[] {
  return linesOf(`./own-${name}.jsonl`) as readonly Case[]
}

function linesOf(file: string): readonly unknown[] {
  const place = new URL(file, import.meta.url)
  if (!existsSync(place)) return []
  return readFileSync(place, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}
