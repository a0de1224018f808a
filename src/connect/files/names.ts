import { MandateError } from '../../core/index.ts'

const PATH_MAX = 4_096
const NAME_MAX = 255
const PARTS_MAX = 64

/**
 * Invisible characters, and those that change how others are displayed: controls, zero-width characters, bidirectional marks, byte order marks, lone
 * surrogates.
 */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001F\u007F-\u009F]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}|\p{Cn}/u

/** Names with a special meaning on some file system: Windows devices, short aliases, dropped endings. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i
const ALIAS = /~\d/

/**
 * The parts of a path inside a workspace, as they will be opened. A path that is ambiguous between systems is refused rather than interpreted;
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

/** A name that is safe to display: invisible characters, and lookalikes from another alphabet, are escaped. */
export function showName(name: string): string {
  const isMixed = /\p{Script=Latin}/u.test(name) && SCRIPTS.some((script) => script.test(name))
  // By code point, because the escape shows code points.
  return Array.from(name)
    .map((char) =>
      UNSEEN.test(char) || (isMixed && SCRIPTS.some((script) => script.test(char))) ? written(char) : char,
    )
    .join('')
}

function written(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`
}

/**
 * Whether a path matches a list of patterns: `.git` matches it and everything below, `*.pem` any such name. Case and Unicode normalization are
 * ignored, because some disks do not distinguish them.
 */
export function isListed(parts: readonly string[], patterns: readonly string[]): boolean {
  const folded = parts.map(fold)
  return patterns.some((pattern) => {
    const wanted = pattern.split('/').map(fold)
    // Matches anywhere in the path, because a subfolder may be a workspace of its own.
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
