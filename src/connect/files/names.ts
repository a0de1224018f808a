import { MandateError } from '../../core/index.ts'

const PATH_MAX = 4_096
const NAME_MAX = 255
const PARTS_MAX = 64

/** Invisible characters, and those that change how the rest is shown: controls, zero widths, direction marks, byte order marks, lone halves of pairs. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001F\u007F-\u009F]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}|\p{Cn}/u

/** Names that mean something else on some file system: devices of Windows, short aliases, endings that are cut off. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i
const ALIAS = /~\d/

/**
 * The parts of a path inside a workspace, as they will be opened. What could mean two things on two systems is refused rather than interpreted;
 * nothing is decoded, expanded or stripped.
 */
export function partsOf(path: unknown): readonly string[] {
  if (typeof path !== 'string') throw refused('A path must be text.')
  if (path.length > PATH_MAX) throw refused(`A path has at most ${PATH_MAX} characters.`)
  if (/^[\\/]|^[a-z]:/i.test(path))
    throw refused(`${showName(path)} is absolute. Give a path relative to the workspace.`)
  if (path.includes('\\')) throw refused(`${showName(path)} has a backslash. Separate folders by "/".`)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length > PARTS_MAX) throw refused(`A path has at most ${PARTS_MAX} parts.`)
  for (const part of parts) checkName(part)
  return parts
}

function checkName(name: string): void {
  if (name === '..') throw refused('A path must not go up with "..". Write it from the top of the workspace.')
  if (UNSEEN.test(name)) throw refused(`The name ${showName(name)} has characters that cannot be seen. Leave them out.`)
  if (new TextEncoder().encode(name).length > NAME_MAX) throw refused(`A name has at most ${NAME_MAX} bytes.`)
  if (DEVICE.test(name) || ALIAS.test(name) || name.includes(':') || /[. ]$/.test(name))
    throw refused(`The name ${showName(name)} means something else on some systems. Choose another one.`)
}

const SCRIPTS: readonly RegExp[] = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]

/** A name as it can be shown without lying: what is unseen, or borrowed from another alphabet to look alike, is written out. */
export function showName(name: string): string {
  const isMixed = /\p{Script=Latin}/u.test(name) && SCRIPTS.some((script) => script.test(name))
  // By code point, which is what is written out.
  return Array.from(name)
    .map((char) =>
      UNSEEN.test(char) || (isMixed && SCRIPTS.some((script) => script.test(char))) ? written(char) : char,
    )
    .join('')
}

function written(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`
}

/** Whether a path falls under a list of patterns: `.git` means it and all below, `*.pem` any such name. Case and spelling do not matter: not all disks tell them apart. */
export function isListed(parts: readonly string[], patterns: readonly string[]): boolean {
  const folded = parts.map(fold)
  return patterns.some((pattern) => {
    const wanted = pattern.split('/').map(fold)
    // Anywhere in the path, because a folder inside may be a workspace of its own.
    return folded.some((_, at) =>
      wanted.every((glob, index) => folded[at + index] !== undefined && matches(folded[at + index]!, glob)),
    )
  })
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

function matches(name: string, glob: string): boolean {
  const [head = '', ...rest] = glob.split('*')
  if (rest.length === 0) return name === head
  if (!name.startsWith(head)) return false
  let from = head.length
  for (const [index, piece] of rest.entries()) {
    const at = index === rest.length - 1 ? name.length - piece.length : name.indexOf(piece, from)
    if (at < from || !name.startsWith(piece, at)) return false
    from = at + piece.length
  }
  return true
}

export function refused(message: string): MandateError {
  return new MandateError('INPUT_INVALID', message)
}
