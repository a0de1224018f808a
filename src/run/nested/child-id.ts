import { sha256 } from '../../core/index.ts'

const ID_LENGTH_MAX = 128

/** The same parent and key give the same child, so that a resumed parent finds the child it had. */
export function childId(parent: string, key: string): string {
  const id = `${parent}.${sha256(key).slice(0, 12)}`
  // Ids are bounded; a child nested too deep for its full name gets one that is as unmistakable, and is found by its parent.
  return id.length <= ID_LENGTH_MAX ? id : `child.${sha256(`${parent}\n${key}`).slice(0, 40)}`
}
