import { type Row, rows } from './table.ts'

const tree = {
  type: 'object',
  properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['value'],
  additionalProperties: false,
}
const draft = (name: string): string => `http://json-schema.org/${name}/schema#`

/** References, anchors, identifiers and what differs between drafts. */
export const referenceRows: readonly Row[] = [
  ...rows('$ref', [
    ['to a definition', { $ref: '#/$defs/positive', $defs: { positive: { exclusiveMinimum: 0 } } }, [1, 'a'], [0]],
    [
      'to the root, recursively',
      tree,
      [{ value: 1 }, { value: 1, children: [{ value: 2, children: [] }] }],
      [
        { value: 1, children: [{ value: 'x' }] },
        { value: 1, children: [{ value: 2, extra: 1 }] },
      ],
    ],
    ['beside other keywords', { $ref: '#/$defs/a', maximum: 5, $defs: { a: { minimum: 1 } } }, [1, 5], [0, 6]],
    [
      'to a definition through another',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'string' } } },
      ['x'],
      [1],
    ],
    [
      'two definitions that need each other',
      {
        $ref: '#/$defs/even',
        $defs: {
          even: { type: 'object', properties: { next: { $ref: '#/$defs/odd' } } },
          odd: { type: 'object', properties: { next: { $ref: '#/$defs/even' } }, required: ['next'] },
        },
      },
      [{}, { next: { next: {} } }],
      [{ next: {} }, { next: { next: { next: {} } } }],
    ],
    [
      'with escapes in the pointer',
      {
        properties: {
          a: { $ref: '#/$defs/til~0de' },
          b: { $ref: '#/$defs/sla~1sh' },
          c: { $ref: '#/$defs/per%25cent' },
        },
        $defs: { 'til~de': { type: 'integer' }, 'sla/sh': { type: 'integer' }, 'per%cent': { type: 'integer' } },
      },
      [{ a: 1, b: 1, c: 1 }],
      [{ a: 'x' }, { b: 'x' }, { c: 'x' }],
    ],
    [
      'to a boolean schema',
      { properties: { a: { $ref: '#/$defs/no' }, b: { $ref: '#/$defs/yes' } }, $defs: { no: false, yes: true } },
      [{ b: 1 }, {}],
      [{ a: 1 }],
    ],
    [
      'to a place inside a property',
      { properties: { a: { type: 'integer' }, b: { $ref: '#/properties/a' } } },
      [{ a: 1, b: 2 }],
      [{ b: 'x' }],
    ],
    [
      'a property that is named $ref is only a property',
      { properties: { $ref: { type: 'string' } } },
      [{ $ref: 'a' }],
      [{ $ref: 1 }],
    ],
    ['inside a value it is only data', { const: { $ref: '#/nowhere' } }, [{ $ref: '#/nowhere' }], [{ $ref: '#' }]],
    ['the old place of definitions', { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, ['x'], [1]],
  ]),
  ...rows('$anchor and $id', [
    ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'integer' } } }, [1], ['x']],
    [
      'a relative identifier',
      { $id: 'https://schemas.example/root', $ref: 'part', $defs: { a: { $id: 'part', type: 'integer' } } },
      [1],
      ['x'],
    ],
    [
      'an absolute identifier',
      { $ref: 'https://schemas.example/part', $defs: { a: { $id: 'https://schemas.example/part', type: 'integer' } } },
      [1],
      ['x'],
    ],
    [
      'a pointer is read from the nearest identifier',
      {
        $id: 'https://schemas.example/root',
        $ref: 'part',
        $defs: { a: { $id: 'part', $ref: '#/$defs/b', $defs: { b: { type: 'integer' } } }, b: { type: 'string' } },
      },
      [1],
      ['x'],
    ],
    [
      'an identifier inside a value is only data',
      {
        enum: [{ $id: 'https://schemas.example/x', type: 'null' }],
        $defs: { a: { $id: 'https://schemas.example/x', type: 'string' } },
      },
      [{ $id: 'https://schemas.example/x', type: 'null' }],
      ['x'],
    ],
  ]),
  ...rows('$dynamicRef', [
    [
      'to the one anchor of its name',
      { type: 'array', items: { $dynamicRef: '#item' }, $defs: { a: { $dynamicAnchor: 'item', type: 'string' } } },
      [['a'], []],
      [[1]],
    ],
    [
      'to a plain anchor',
      { type: 'array', items: { $dynamicRef: '#item' }, $defs: { a: { $anchor: 'item', type: 'string' } } },
      [['a']],
      [[1]],
    ],
    [
      '$ref to a dynamic anchor',
      { items: { $ref: '#item' }, $defs: { a: { $dynamicAnchor: 'item', type: 'string' } } },
      [['a']],
      [[1]],
    ],
    [
      'recursively',
      {
        $dynamicAnchor: 'node',
        type: 'object',
        properties: { next: { $dynamicRef: '#node' } },
        additionalProperties: false,
      },
      [{ next: { next: {} } }],
      [{ next: { other: 1 } }],
    ],
    [
      'beside $ref',
      {
        $ref: '#/$defs/number',
        $dynamicRef: '#small',
        $defs: { number: { type: 'number' }, small: { $dynamicAnchor: 'small', maximum: 3 } },
      },
      [1],
      [5, 'x'],
    ],
    [
      'beside allOf',
      {
        allOf: [{ minimum: 1 }],
        $ref: '#/$defs/number',
        $dynamicRef: '#small',
        $defs: { number: { type: 'number' }, small: { $dynamicAnchor: 'small', maximum: 3 } },
      },
      [1],
      [0, 5, 'x'],
    ],
    ['inside a value it is only data', { const: { $dynamicRef: '#x' } }, [{ $dynamicRef: '#x' }], [1]],
    [
      'of which two have one name',
      {
        $id: 'https://schemas.example/strict',
        $ref: 'list',
        $defs: {
          own: { $dynamicAnchor: 'item', type: 'string' },
          list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } },
        },
      },
      [['a']],
      [[1]],
    ],
  ]),
  ...rows('draft 4', [
    ['exclusive limits are flags', { $schema: draft('draft-04'), minimum: 1, exclusiveMinimum: true }, [1.5], [1, 0]],
    [
      '$ref hides what stands beside it',
      {
        $schema: draft('draft-04'),
        properties: { a: { $ref: '#/definitions/n', maximum: 1 } },
        definitions: { n: { type: 'number' } },
      },
      [{ a: 5 }],
      [{ a: 'x' }],
    ],
    [
      'items may be a list',
      { $schema: draft('draft-04'), items: [{ type: 'string' }], additionalItems: false },
      [['a'], []],
      [[1], ['a', 'b']],
    ],
    [
      'dependencies',
      { $schema: draft('draft-04'), dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
  ]),
  ...rows('draft 7', [
    [
      'items may be a list',
      { $schema: draft('draft-07'), items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      [['a', 1]],
      [['a', 'b']],
    ],
    ['dependencies', { $schema: draft('draft-07'), dependencies: { a: ['b'] } }, [{ a: 1, b: 1 }], [{ a: 1 }]],
    [
      'if and then',
      { $schema: draft('draft-07'), if: { required: ['a'] }, then: { required: ['b'] } },
      [{ a: 1, b: 1 }, {}],
      [{ a: 1 }],
    ],
  ]),
  ...rows('draft 2019-09', [
    [
      '$recursiveRef',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        properties: { next: { $recursiveRef: '#' } },
        additionalProperties: false,
      },
      [{ next: { next: {} } }],
      [{ next: { other: 1 } }],
    ],
    [
      'unevaluatedItems with a list of items',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }], unevaluatedItems: false },
      [['a']],
      [['a', 1]],
    ],
  ]),
]
