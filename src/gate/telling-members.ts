import type { Json } from '../core/index.ts'

/** Members by whose names an input may give away what it does, by what they hold. */
export const TELLING = {
  command: ['cmd', 'command', 'commands', 'script', 'shell', 'commandline'],
  statement: ['sql', 'query', 'statement'],
  url: ['url', 'uri', 'endpoint', 'href'],
  path: ['path', 'file', 'filename', 'filepath', 'dir', 'directory', 'target', 'destination', 'dest'],
  method: ['method', 'verb'],
} as const

const NAMES: ReadonlySet<string> = new Set(Object.values(TELLING).flat())
/** Deeper than inputs are looked into for a risk. */
const DEPTH_MAX = 8

/** Whether an input has a member that may tell of a risk. */
export function hasTellingMember(input: Json, depth = 0): boolean {
  if (typeof input !== 'object' || input === null || depth > DEPTH_MAX) return false
  return Object.entries(input).some(
    ([name, member]) => (!Array.isArray(input) && NAMES.has(name.toLowerCase())) || hasTellingMember(member, depth + 1),
  )
}
