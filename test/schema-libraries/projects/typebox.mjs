import { Type as Older } from '@sinclair/typebox'
import * as Newer from 'typebox'
import { probe } from './probe.mjs'

const trip = (type) =>
  type.Object({
    city: type.String({ description: 'Where to' }),
    days: type.Optional(type.Number()),
    when: type.String({ format: 'date-time' }),
    odd: type.BigInt({ description: 'Large' }),
  })

await probe({ older: trip(Older), typebox: trip(Newer) })
