import type { Mutation } from './mutation.ts'

/** What stands between a generated graph and its registration. */
const REVIEW: readonly Mutation[] = (
  [
    ['generated', '../runtime/register-graph', "provenance?.origin === 'generated'", 'false'],
    ['asks', 'review-mind', 'needsApproval: true,', 'needsApproval: false,'],
    ['shown', 'review-mind', 'canonical(given) !== canonical(request)', 'false'],
    ['risk', 'review-mind', "maxRisk('write', reach.risk)", "'read'"],
    ['issued', 'registrations', 'record.claim.digest !== sha256(token)', 'false'],
    ['signed', 'registrations', 'if (!isBelieved) throw', 'if (false) throw'],
    ['revoked', 'registrations', 'if (revoked !== undefined) throw', 'if (false) throw'],
    ['once', 'registrations', 'if (registered !== undefined) throw', 'if (false) throw'],
    ['expiry', 'registrations', 'if (this.#kernel.clock.now() >= claim.expiresAt) throw', 'if (false) throw'],
    ['hash', 'registrations', 'if (claim.hash !== hash) throw', 'if (false) throw'],
    ['request-right', 'graph-reviews', "this.#kernel.check(identity, 'run-agent')", ''],
    ['read-right', 'graph-reviews', "await this.#kernel.authorize(this.#identity, 'read-journal', id)", ''],
    ['register-right', 'graph-reviews', "this.#kernel.check(this.#identity, 'create-agent')", ''],
    ['revoke-right', 'graph-reviews', "this.#kernel.check(this.#identity, 'approve')", ''],
    ['restore-signed', 'graph-reviews', 'if (!isBelieved) return', 'if (false) return'],
    [
      'restore-revoked',
      'graph-reviews',
      'registered !== undefined && revoked === undefined',
      'registered !== undefined',
    ],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `graph.review.${name}`,
  room: 'graph',
  file: file.startsWith('../') ? `src/graph/${file.slice(3)}.ts` : `src/graph/review/${file}.ts`,
  find,
  replace,
  tests: ['src/graph/review/graph-reviews.test.ts'],
}))

/** What the builder refuses, as text and JSON do. */
const BUILT: readonly Mutation[] = (
  [['whole', 'builder/define-graph', 'checkBuilt(blueprintOf(this.#draft))', 'blueprintOf(this.#draft)']] as const
).map(([name, file, find, replace]) => ({
  id: `graph.built.${name}`,
  room: 'graph',
  file: `src/graph/${file}.ts`,
  find,
  replace,
  tests: ['src/graph/builder/built-options.test.ts'],
}))

export const GRAPH_MUTATIONS: readonly Mutation[] = [...REVIEW, ...BUILT]
