import { type } from 'arktype'
import { probe } from './probe.mjs'

const any = type('unknown')

await probe({
  arktype: type({
    city: type('string.trim').describe('Where to'),
    'days?': 'number',
    when: 'string.date.parse',
    odd: any.narrow(() => true),
  }),
})
