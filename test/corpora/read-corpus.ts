import { readFileSync } from 'node:fs'

/** The cases of a corpus of hostile inputs, one JSON object a line. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its cases look like
export function readCorpus<Case>(name: 'escapes' | 'fs' | 'secrets' | 'ssrf' | 'taint' | 'tools'): readonly Case[] {
  const text = readFileSync(new URL(`./${name}.jsonl`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case)
}
