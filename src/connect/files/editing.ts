import { refused } from './names.ts'
import { shown } from './workspace.ts'

export interface Edit {
  readonly content?: string | undefined
  readonly old_string?: string | undefined
  readonly new_string?: string | undefined
  readonly old_str?: string | undefined
  readonly new_str?: string | undefined
}

/** The text of a file after an edit. Both spellings of the seed's systems are understood; a replacement is literal. */
export function edited(before: string | undefined, edit: Edit, parts: readonly string[]): string {
  if (edit.content !== undefined) return edit.content
  const old = edit.old_string ?? edit.old_str
  const now = edit.new_string ?? edit.new_str
  if (now === undefined) throw refused('Give `new_string` (with `old_string`), or `content` for the whole file.')
  // Nothing to replace: the whole file is meant, or a new one.
  if (old === undefined || old === '') return now
  if (before === undefined) throw refused(`There is no ${shown(parts)} to edit. Give \`content\` to make it.`)
  const at = before.indexOf(old)
  if (at < 0)
    throw refused(`\`old_string\` does not occur in ${shown(parts)}. Read it again, and copy the passage exactly.`)
  if (before.indexOf(old, at + 1) >= 0)
    throw refused(`\`old_string\` occurs more than once in ${shown(parts)}. Give more of what surrounds it.`)
  return before.slice(0, at) + now + before.slice(at + old.length)
}
