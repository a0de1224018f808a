import { basename } from 'node:path'

/** Programs that fetch a package and run it, and what pins the package's version. */
interface Runner {
  /** The words between the program's name and the package. */
  readonly words: readonly string[]
  /** Options with the package as their value. */
  readonly named: readonly string[]
  /** Options with which nothing is fetched. */
  readonly offline: readonly string[]
  readonly pinned: RegExp
}

const NPM = /^(?:npm:)?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/
const PYTHON = /^[\w.-]+(?:\[[\w,.-]+\])?(?:==|@)\d+(?:\.\d+)+(?:[\w.+!-]*)$/
const IMAGE = /@sha256:[0-9a-f]{64}$/
const MODULE = /@v\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/
const SCRIPT = /^(?:npm:|jsr:|https:\/\/deno\.land\/)\S*@v?\d+\.\d+\.\d+\S*$/

const runner = (words: string, pinned: RegExp, named = '', offline = ''): Runner => ({
  words: words.split(' ').filter((word) => word !== ''),
  named: named.split(' ').filter((word) => word !== ''),
  offline: offline.split(' ').filter((word) => word !== ''),
  pinned,
})

const RUNNERS: { readonly [program: string]: readonly Runner[] } = {
  npx: [runner('', NPM, '-p --package', '--no --no-install')],
  pnpx: [runner('', NPM, '--package')],
  bunx: [runner('', NPM, '-p --package', '--no-install')],
  npm: [runner('exec', NPM, '-p --package', '--no'), runner('x', NPM, '-p --package', '--no')],
  pnpm: [runner('dlx', NPM, '--package')],
  yarn: [runner('dlx', NPM, '-p --package')],
  bun: [runner('x', NPM, '-p --package')],
  uvx: [runner('', PYTHON, '--from', '--offline')],
  uv: [runner('tool run', PYTHON, '--from', '--offline')],
  pipx: [runner('run', PYTHON, '--spec')],
  docker: [runner('run', IMAGE), runner('container run', IMAGE)],
  podman: [runner('run', IMAGE), runner('container run', IMAGE)],
  nerdctl: [runner('run', IMAGE)],
  deno: [runner('run', SCRIPT), runner('x', SCRIPT)],
  go: [runner('run', MODULE)],
}

/** The package that a command would fetch and run without a fixed version; `undefined` if there is none. */
export function unpinnedPackage(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const name = basename(word.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|ps1)$/i, '')
    const runners = Object.hasOwn(RUNNERS, name) ? RUNNERS[name]! : []
    for (const one of runners) {
      const rest = afterWords(words.slice(at + 1), one.words)
      if (rest !== undefined) return unpinnedIn(rest, one)
    }
  }
  return undefined
}

/** The arguments after the words that make the program a runner; options may be in between. */
function afterWords(rest: readonly string[], words: readonly string[]): readonly string[] | undefined {
  let left = rest
  for (const word of words) {
    const at = left.findIndex((one) => !one.startsWith('-'))
    if (at === -1 || left[at] !== word) return undefined
    left = left.slice(at + 1)
  }
  return left
}

function unpinnedIn(rest: readonly string[], { named, offline, pinned }: Runner): string | undefined {
  if (rest.some((word) => offline.includes(word))) return undefined
  // Options of containers have values in many forms, so the image is identified by its digest.
  if (pinned === IMAGE) return rest.some((word) => pinned.test(word)) ? undefined : (rest.at(-1) ?? 'an image')
  const packages: string[] = []
  for (const [at, word] of rest.entries()) {
    const [option = '', value] = word.split(/=(.*)/s)
    if (named.includes(option)) packages.push(value ?? rest[at + 1] ?? '')
  }
  if (packages.length === 0) packages.push(rest.find((word) => !word.startsWith('-')) ?? '')
  return packages.find((one) => !isLocal(one) && !pinned.test(one) && !/#[0-9a-f]{40}$/.test(one))
}

/** Whether the package is a file of this machine. */
function isLocal(name: string): boolean {
  return /^(?:\.{0,2}\/|file:|[A-Za-z]:[\\/])/.test(name) || /\.(?:[cm]?[jt]s|py|go)$/.test(name)
}
