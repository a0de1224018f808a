import type { Same, ToolList, ToolTypesOf } from '../../tool/index.ts'

/** The names of the tools in a configuration; `string` if one of them is not known to the compiler. */
type NamesOf<T> = T extends ToolList ? keyof ToolTypesOf<T> & string : string

/** Names that editors complete. Any text is one as well: which literals are none is told by `CheckedConfig`. */
export type ListedName<T> = NamesOf<T> | (string & {})

/** The required type of a literal that names nothing, so that the error message names it. No value has it. */
interface NotATool<N> {
  readonly 'is not the name of a tool': N
}

/** Tools that other fields of a configuration add. */
type AddedTool = 'spawn_agent' | 'update_working_memory' | 'use_skill'

/** Of these texts, the names of tools, patterns and targets of other kinds. A text that the compiler does not know is checked when the agent is made. */
type Named<T, N extends string> =
  string extends NamesOf<T>
    ? N
    : N extends string
      ? string extends N
        ? N
        : N extends NamesOf<T> | AddedTool | `${string}*` | `${string}:${string}`
          ? N
          : NotATool<N>
      : never

/**
 * The lists of a mandate: the names `A` that it allows, `D` that it denies and `G` that it grants. `O` names packs, agents and others that the mandate
 * holds for as well, and whose tools the compiler does not know.
 */
export interface NamingConfig<A, D, G, O> {
  readonly toolPacks?: readonly O[] | undefined
  readonly agents?: readonly O[] | undefined
  readonly agentTypes?: readonly O[] | undefined
  readonly graphs?: readonly O[] | undefined
  readonly programs?: readonly O[] | undefined
  readonly mandate?:
    | {
        readonly allow?: readonly A[] | undefined
        readonly deny?: readonly D[] | undefined
        readonly grant?: readonly G[] | undefined
      }
    | undefined
}

/** What stands for no names at all: any text, but not the type that the compiler infers from one. */
export type NoOthers = string & {}

/** The same with every literal checked, if the tools are all that the mandate holds for. */
export type CheckedConfig<T, A extends string, D extends string, G extends string, O> =
  Same<O, NoOthers> extends true ? NamingConfig<Named<T, A>, Named<T, D>, Named<T, G>, string> : unknown
