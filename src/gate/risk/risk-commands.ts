/** Commands that destroy data, as the first word of a command. */
const DESTRUCTIVE: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred del erase rd truncate mkfs dd fdisk parted wipefs shutdown reboot halt poweroff kill killall pkill dropdb dropuser format userdel'.split(
    ' ',
  ),
)
/** Commands that run another command given as arguments. */
const CARRIERS: ReadonlySet<string> = new Set(
  'sudo doas env nohup time nice ionice setsid exec command builtin busybox xargs timeout stdbuf chroot watch then else do if while !'.split(
    ' ',
  ),
)
/** Commands whose argument is itself a command line. */
const SHELLS: ReadonlySet<string> = new Set('sh bash zsh dash ksh fish cmd powershell pwsh eval su ssh'.split(' '))
const LENGTH_MAX = 20_000
const DEPTH_MAX = 4

/**
 * Whether a command line is destructive. Only words in command position count: `echo format` prints a word, `format c:` is a command. Quotes, paths,
 * wrappers such as `sudo`, and nested shells are resolved; what cannot be resolved is still a command, and tools that run commands have at least the
 * risk `exec` by their name.
 */
export function isDestructiveCommand(text: string, depth = 0): boolean {
  if (depth > DEPTH_MAX || text.length > LENGTH_MAX) return true
  return commandsOf(text).some((words) => isDestructive(words, depth))
}

function isDestructive(words: readonly string[], depth: number): boolean {
  let index = 0
  while (index < words.length && isCarrier(words[index]!, index > 0)) index += 1
  const name = commandName(words[index] ?? '')
  const rest = words.slice(index + 1)
  if (DESTRUCTIVE.has(name) || name.startsWith('mkfs.')) return true
  // Without quotes the arguments of a wrapper cannot be distinguished from the command it runs, so every word may be the command.
  if (index > 0 && words.slice(index).some((word) => DESTRUCTIVE.has(commandName(word)))) return true
  if (SHELLS.has(name))
    return (
      rest.some((word) => !word.startsWith('-') && isDestructiveCommand(word, depth + 1)) ||
      isDestructiveCommand(rest.filter((word) => !/^[-/]/.test(word)).join(' '), depth + 1)
    )
  if (name === 'find')
    return (
      rest.includes('-delete') ||
      rest.some((word, at) => /^-(exec|ok)/.test(word) && isDestructive(rest.slice(at + 1), depth + 1))
    )
  if (name === 'git') return isDestructiveGit(rest)
  return false
}

function isDestructiveGit(words: readonly string[]): boolean {
  if (words.includes('push')) return words.some((word) => /^(-f|--force.*|--delete|--mirror|\+.*|:.*)$/.test(word))
  return (
    (words.includes('reset') && words.includes('--hard')) ||
    (words.includes('clean') && words.some((word) => /^-\w*f/.test(word)))
  )
}

function isCarrier(word: string, isLater: boolean): boolean {
  return (
    CARRIERS.has(commandName(word)) ||
    /^[A-Za-z_]\w*=/.test(word) ||
    (isLater && (word.startsWith('-') || /^\d/.test(word)))
  )
}

/** The name of a command without its path: `/bin/rm`, `C:\bin\del.exe`, and also without escapes: `r\m`. */
function commandName(word: string): string {
  return word
    .replace(/^.*[/]/, '')
    .replaceAll('\\', '')
    .replace(/\.(exe|cmd|bat)$/i, '')
    .toLowerCase()
}

/** Splits a command line at everything after which a shell starts a new command; quotes are removed, and their content stays together. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  const inner: (readonly string[])[] = []
  let word = ''
  let isWord = false
  const endWord = (): void => {
    if (isWord) commands.at(-1)!.push(word)
    word = ''
    isWord = false
  }
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '"' || char === "'") {
      const close = text.indexOf(char, i + 1)
      const quoted = text.slice(i + 1, close < 0 ? text.length : close)
      if (char === '"') inner.push(...substituted(quoted))
      word += quoted
      isWord = true
      i += quoted.length + 1
    } else if (/[;&|\n(){}`]/.test(char)) {
      endWord()
      commands.push([])
    } else if (/\s/.test(char)) endWord()
    else {
      word += char
      isWord = true
    }
  }
  endWord()
  return [...commands, ...inner].filter((words) => words.length > 0)
}

/** The command substitutions inside double quotes, which a shell executes. */
function substituted(quoted: string): readonly (readonly string[])[] {
  return quoted
    .split(/\$\(|`/)
    .slice(1)
    .flatMap(commandsOf)
}
