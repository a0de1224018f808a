import { probe } from './probe.mjs'

const { Schema } = await import('effect')

const trip = Schema.Struct({
  city: Schema.Trim.annotations({ description: 'Where to' }),
  days: Schema.optional(Schema.Number),
  when: Schema.Date,
  odd: Schema.declare(() => true),
  list: Schema.optional(Schema.Array(Schema.Union(Schema.String, Schema.DateFromSelf))),
})

await probe({ plain: trip, standard: Schema.standardSchemaV1(trip) })
