import { isChecked } from '../checks.ts'
import { refused } from './names.ts'
import { shown } from './workspace.ts'

interface Edit {
  readonly content?: string | undefined
  readonly old_string?: string | undefined
  readonly new_string?: string | undefined
  readonly old_str?: string | undefined
  readonly new_str?: string | undefined
}

/** The text of a file after an edit. Both common spellings of edits are accepted; a replacement is literal. */
export function edited(before: string | undefined, edit: Edit, parts: readonly string[]): string {
  if (isChecked('files.one-edit')) checkOneEdit(before, edit, parts)
  if (edit.content !== undefined) return edit.content
  const old = edit.old_string ?? edit.old_str
  const now = edit.new_string ?? edit.new_str
  if (now === undefined) throw refused('Give `new_string` (with `old_string`), or `content` for the whole file.')
  // Without a text to replace, the edit is the whole file.
  if (old === undefined || old === '') return now
  if (before === undefined) throw refused(`There is no ${shown(parts)} to edit. Give \`content\` to make it.`)
  const at = before.indexOf(old)
  if (at < 0)
    throw refused(`\`old_string\` does not occur in ${shown(parts)}. Read it again, and copy the passage exactly.`)
  if (before.indexOf(old, at + 1) >= 0)
    throw refused(`\`old_string\` occurs more than once in ${shown(parts)}. Give more of what surrounds it.`)
  return before.slice(0, at) + now + before.slice(at + old.length)
}

/** Refuses an ambiguous edit, because guessing could lose content. */
function checkOneEdit(before: string | undefined, edit: Edit, parts: readonly string[]): void {
  const passages = [edit.old_string, edit.new_string, edit.old_str, edit.new_str]
  if (edit.content !== undefined && passages.some((text) => text !== undefined))
    throw refused(
      'Both `content` and a passage were given. Give `content` for the whole file, or `old_string` with `new_string`.',
    )
  const isTwice =
    (edit.old_string !== undefined && edit.old_str !== undefined) ||
    (edit.new_string !== undefined && edit.new_str !== undefined)
  if (isTwice)
    throw refused('`old_string` and `old_str` are one thing, and so are `new_string` and `new_str`. Give each once.')
  const isWhole = (edit.new_string ?? edit.new_str) !== undefined && (edit.old_string ?? edit.old_str ?? '') === ''
  if (isWhole && before !== undefined && before !== '')
    throw refused(
      `${shown(parts)} is not empty, and no \`old_string\` says what to replace. Give it, or \`content\` for the whole file.`,
    )
}
