import { sha256 } from '../../core/index.ts'

const ID_LENGTH_MAX = 128

/** The id of a child run. The same parent and key give the same id, so that a resumed parent finds its child. */
export function childId(parent: string, key: string): string {
  const id = `${parent}.${sha256(key).slice(0, 12)}`
  // Ids are bounded; a child that is nested too deep for its full name gets a hash of it instead.
  return id.length <= ID_LENGTH_MAX ? id : `child.${sha256(`${parent}\n${key}`).slice(0, 40)}`
}
