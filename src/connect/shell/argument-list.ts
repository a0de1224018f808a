import { type OptionFacts, type OptionTable, type ProgramTable, type Role, optionsOf } from './option-table.ts'

/** A parsed argument of a program. */
export interface Argument {
  readonly kind: 'option' | 'unknown' | 'operand'
  /** The option's canonical name, or as it was written. */
  readonly name: string
  readonly role: Role
  readonly value?: string | undefined
  /** Its index in the list, and that of its value. */
  readonly at: number
  readonly valueAt: number
}

const DANGEROUS: readonly Role[] = ['run', 'write', 'reach', 'config', 'follow']

/**
 * Parses arguments as the program would: bundled short options with attached or separate values, abbreviated long ones, `--`. If an abbreviation is
 * ambiguous, the most dangerous option counts.
 */
export function readArguments(args: readonly string[], program: ProgramTable, from = 0): readonly Argument[] {
  const reader = new Reader(args, program, from)
  return reader.read()
}

class Reader {
  readonly #args: readonly string[]
  readonly #program: ProgramTable
  readonly #options: OptionTable
  readonly #found: Argument[] = []
  #at: number

  constructor(args: readonly string[], program: ProgramTable, from: number) {
    this.#args = args
    this.#program = program
    this.#options = optionsOf(program)
    this.#at = from
  }

  read(): readonly Argument[] {
    const { style, operands } = this.#program
    const first = this.#args[this.#at]
    if (style === 'tar' && first !== undefined && !first.startsWith('-')) this.#bundle(first, this.#at++)
    while (this.#at < this.#args.length) {
      const at = this.#at++
      const arg = this.#args[at]!
      if (arg === '--' && style !== 'words') {
        while (this.#at < this.#args.length) this.#operand(this.#at++)
      } else if (!arg.startsWith('-') || arg === '-') {
        this.#operand(at)
        // Arguments after the name of a subcommand or of another program are parsed by its own table.
        if (operands === 'subcommand' || operands === 'command') return this.#found
      } else if (style === 'words') this.#word(arg, at)
      else if (arg.startsWith('--')) this.#long(arg, at)
      else this.#letters(arg, at)
    }
    return this.#found
  }

  #operand(at: number): void {
    const value = this.#args[at]!
    this.#found.push({ kind: 'operand', name: value, role: 'flag', value, at, valueAt: at })
  }

  #option(name: string, facts: OptionFacts | undefined, attached: string | undefined, at: number): void {
    if (facts === undefined) {
      this.#found.push({ kind: 'unknown', name, role: 'flag', value: attached, at, valueAt: at })
      return
    }
    const isBehind = facts.takes === 'required' && attached === undefined && this.#at < this.#args.length
    const valueAt = isBehind ? this.#at++ : at
    const value = isBehind ? this.#args[valueAt] : attached
    this.#found.push({ kind: 'option', name, role: facts.role, value, at, valueAt })
  }

  #word(arg: string, at: number): void {
    const [name, attached] = halves(arg)
    const facts = this.#options.get(arg) ?? this.#options.get(name)
    this.#option(facts === undefined ? arg : name, facts, this.#options.has(arg) ? undefined : attached, at)
  }

  #long(arg: string, at: number): void {
    const [name, attached] = halves(arg)
    const meant = this.#meant(name)
    this.#option(meant?.name ?? name, meant?.facts, attached, at)
  }

  #meant(name: string): { name: string; facts: OptionFacts } | undefined {
    const exact = this.#options.get(name)
    if (exact !== undefined) return { name, facts: exact }
    if (this.#program.negatable === true && name.startsWith('--no-') && this.#meant(`--${name.slice(5)}`) !== undefined)
      return { name, facts: { role: 'flag', takes: 'none' } }
    const possible = [...this.#options].filter(([known]) => known.startsWith(name))
    const worst =
      possible.find(([, facts]) => DANGEROUS.includes(facts.role)) ??
      possible.find(([, facts]) => facts.role === 'path' || facts.role === 'chdir')
    const [known, facts] = worst ?? possible[0] ?? []
    if (known === undefined || facts === undefined) return undefined
    // If it is uncertain whether the next argument is a value, it is inspected separately.
    const isCertain = possible.every(([, other]) => other.takes === facts.takes)
    return { name: known, facts: isCertain ? facts : { ...facts, takes: 'optional' } }
  }

  #letters(arg: string, at: number): void {
    if (/^-\d+$/.test(arg) && !this.#options.has(arg.slice(0, 2))) return
    let rest = arg.slice(1)
    while (rest !== '') {
      const size = this.#program.style === 'pairs' && this.#options.has(`-${rest.slice(0, 2)}`) ? 2 : 1
      const name = `-${rest.slice(0, size)}`
      const facts = this.#options.get(name)
      rest = rest.slice(size)
      if (facts !== undefined && facts.takes !== 'none') {
        this.#option(name, facts, rest === '' ? undefined : rest, at)
        return
      }
      // The rest may belong to an unknown option: it is treated both as its value and as further letters.
      if (facts === undefined && /\d/.test(name)) continue
      this.#option(name, facts, facts === undefined && rest !== '' ? rest : undefined, at)
    }
  }

  /** Letters without a dash take their values from the following arguments, in order. */
  #bundle(letters: string, at: number): void {
    for (const letter of letters) this.#option(`-${letter}`, this.#options.get(`-${letter}`), undefined, at)
  }
}

function halves(arg: string): readonly [string, string | undefined] {
  const equals = arg.indexOf('=')
  return equals === -1 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)]
}
