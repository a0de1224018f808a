import { asynchronous } from './async.ts'
import { builtins } from './builtins.ts'
import { collections } from './collections.ts'
import { holes } from './holes.ts'
import { iteration } from './iteration.ts'
import { language } from './language.ts'
import { library } from './library.ts'

/** Every body written by hand, by its topic. */
export const cases: readonly { readonly topic: string; readonly body: string }[] = Object.entries({
  language,
  asynchronous,
  builtins,
  collections,
  holes,
  iteration,
  library,
}).flatMap(([topic, bodies]) => bodies.map((body) => ({ topic, body })))
