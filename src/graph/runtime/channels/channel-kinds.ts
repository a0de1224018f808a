import { MandateError, nearest } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { CHANNEL_KINDS } from '../../blueprint/blueprint.ts'
import type { ChannelBlueprint } from '../../blueprint/blueprint.ts'
import type { GraphReducer } from '../../registry/graph-registry.ts'
import { barrier, namedBarrier } from './barrier-channels.ts'
import type { Channel } from './channel.ts'
import { messages } from './message-channel.ts'
import { aggregate, delta, ephemeral, lastValue, topic, untracked } from './value-channels.ts'

/** Finds a reducer by its name; `undefined` if there is none. */
type FindReducer = (name: string) => GraphReducer | undefined

/** Creates the channel of a blueprint. */
export function channelOf(blueprint: ChannelBlueprint, find: FindReducer): Channel {
  const channel = kindOf(blueprint, find)
  return blueprint.initial === undefined ? channel : { ...channel, initial: blueprint.initial }
}

function kindOf({ name, reducer, args }: ChannelBlueprint, find: FindReducer): Channel {
  const [first] = args
  switch (reducer) {
    case 'last_value':
      return lastValue(first)
    case 'topic':
      return topic()
    case 'delta':
      return delta(first === undefined ? 0 : count(name, first, 'the number it begins with'))
    case 'messages':
      return messages()
    case 'ephemeral':
      return ephemeral()
    case 'untracked':
      return untracked(first)
    case 'barrier':
      return barrier(count(name, first, 'how many values it waits for'))
    case 'named_barrier':
      return namedBarrier(args.map(String))
    case 'aggregate':
      return byReducer(name, String(first), { args: args.slice(1), find })
    default:
      return byReducer(name, reducer, { args, find })
  }
}

function count(name: string, given: Json | undefined, what: string): number {
  if (typeof given === 'number') return given
  throw new MandateError('CONFIG_INVALID', `The channel "${name}" needs a number: ${what}.`)
}

interface Reducing {
  readonly args: ChannelBlueprint['args']
  readonly find: FindReducer
}

function byReducer(name: string, reducer: string, { args, find }: Reducing): Channel {
  const reduce = find(reducer)
  if (reduce !== undefined) return aggregate((current, update) => reduce(current, update, args))
  const near = nearest(reducer, CHANNEL_KINDS)
  const hint = near === undefined ? `Kinds: ${CHANNEL_KINDS.join(', ')}` : `Did you mean "${near}"`
  throw new MandateError(
    'NOT_FOUND',
    `The channel "${name}" names the reducer "${reducer}", which is not registered. ${hint}${near === undefined ? '.' : '?'}`,
  )
}
