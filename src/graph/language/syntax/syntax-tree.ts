import type { Span } from '../../blueprint/blueprint.ts'
import type { GraphItemName, NodeItemName } from './keywords.ts'

/** A piece of text with its position. */
export interface Word {
  readonly text: string
  readonly span: Span
}

/** A value as written. A `word` is a name, or `true`, `false`, `null`. */
export type Value =
  | { readonly type: 'word' | 'text' | 'expr'; readonly value: string; readonly span: Span }
  | { readonly type: 'number' | 'duration'; readonly value: number; readonly span: Span }
  | { readonly type: 'list'; readonly items: readonly Value[]; readonly span: Span }
  | { readonly type: 'record'; readonly entries: readonly Entry[]; readonly span: Span }

export interface Entry {
  readonly key: Word
  readonly value: Value
}

export interface Field {
  readonly name: Word
  readonly type: Word
  readonly isList: boolean
  readonly isOptional: boolean
}

/** A route out of a node: by label, by condition, or (with neither) if no other is taken. */
export interface Route {
  readonly label?: Word
  readonly when?: Word
  readonly to: Word
  readonly span: Span
}

export interface Send {
  readonly to: Word
  readonly input?: Value
  readonly each?: Word
  readonly span: Span
}

interface Placed {
  /** The keyword of the item. */
  readonly word: Word
  readonly span: Span
}

export type GraphItem = Placed &
  (
    | { readonly type: 'value'; readonly name: GraphItemName; readonly value: Value }
    | { readonly type: 'entries'; readonly name: GraphItemName; readonly entries: readonly Entry[] }
    | { readonly type: 'fields'; readonly name: 'input' | 'output' | 'state'; readonly fields: readonly Field[] }
    | {
        readonly type: 'channel'
        readonly channel: Word
        readonly reducer: Word
        readonly args: readonly Value[]
        readonly initial?: Value
      }
    | { readonly type: 'join'; readonly sources: readonly Word[]; readonly to: Word }
    | { readonly type: 'allow'; readonly lists: readonly { readonly list: Word; readonly names: readonly Word[] }[] }
    | { readonly type: 'edge'; readonly from: Word; readonly to: Word }
    | { readonly type: 'node'; readonly node: NodeTree }
  )

export type NodeItem = Placed & { readonly name: NodeItemName } & (
    | { readonly type: 'value'; readonly value: Value }
    | { readonly type: 'words'; readonly words: readonly Word[] }
    | { readonly type: 'entries'; readonly entries: readonly Entry[] }
    | { readonly type: 'routes'; readonly routes: readonly Route[] }
    | { readonly type: 'sends'; readonly sends: readonly Send[] }
    | { readonly type: 'command'; readonly gotos: readonly Word[]; readonly updates: readonly Entry[] }
    | { readonly type: 'steering' }
  )

export interface NodeTree {
  readonly name: Word
  readonly items: readonly NodeItem[]
  readonly span: Span
}

export interface GraphTree {
  readonly name: Word
  readonly items: readonly GraphItem[]
  /** Whether all of it could be parsed. */
  readonly isWhole: boolean
  readonly span: Span
}
