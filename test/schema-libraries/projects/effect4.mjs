import { Schema } from 'effect'
import { probe } from './probe.mjs'

const trip = Schema.Struct({
  city: Schema.Trim.annotate({ description: 'Where to' }),
  days: Schema.optional(Schema.Number),
  when: Schema.Date,
  odd: Schema.declare(() => true),
})

await probe({ plain: trip, standard: Schema.toStandardSchemaV1(trip) })
