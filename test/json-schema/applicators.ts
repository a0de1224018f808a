import { type Row, rows } from './table.ts'

/** Keywords that apply schemas to parts of a value, or several schemas to one. */
export const applicatorRows: readonly Row[] = [
  ...rows('properties', [
    [
      'only what is given',
      { properties: { a: { type: 'string' }, b: { type: 'number' } } },
      [{}, { a: 'x' }, { a: 'x', b: 1, c: null }],
      [{ a: 1 }, { b: 'x' }],
    ],
    ['a member that must not be', { properties: { a: false, b: true } }, [{ b: 1 }, {}], [{ a: 1 }]],
    [
      'names of the prototype',
      { properties: { constructor: { type: 'number' }, toString: { type: 'string' } } },
      [{}, { constructor: 1 }],
      [{ constructor: 'x' }, { toString: 1 }],
    ],
    [
      'names with slashes, tildes and quotes',
      {
        properties: {
          'a/b': { type: 'number' },
          'a~b': { type: 'number' },
          'a"b': { type: 'number' },
          'a%b': { type: 'number' },
        },
      },
      [{ 'a/b': 1, 'a~b': 1, 'a"b': 1, 'a%b': 1 }],
      [{ 'a/b': '' }, { 'a~b': '' }, { 'a"b': '' }, { 'a%b': '' }],
    ],
    [
      'nested',
      { properties: { a: { properties: { b: { type: 'integer' } }, required: ['b'] } } },
      [{ a: { b: 1 } }, { a: 1 }],
      [{ a: {} }, { a: { b: 'x' } }],
    ],
    ['other types', { properties: { a: { type: 'string' } } }, [[], 1, 'a', null], []],
  ]),
  ...rows('patternProperties and additionalProperties', [
    [
      'patterns',
      { patternProperties: { '^x-': { type: 'string' }, '\\d$': { maxLength: 2 } } },
      [{ 'x-a': 'abc', a1: 'ab', other: 1 }],
      [{ 'x-a': 1 }, { 'x-1': 'abc' }],
    ],
    [
      'nothing beside what is named',
      { properties: { a: {} }, patternProperties: { '^b': {} }, additionalProperties: false },
      [{}, { a: 1, b: 2, bb: 3 }],
      [{ c: 1 }, { a: 1, A: 1 }],
    ],
    [
      'the rest by a schema',
      { properties: { a: {} }, additionalProperties: { type: 'number' } },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    [
      'does not see what allOf names',
      { allOf: [{ properties: { a: {} } }], additionalProperties: false },
      [{}],
      [{ a: 1 }],
    ],
    [
      'unicode in patterns',
      { patternProperties: { '^\\p{L}+$': { type: 'number' } } },
      [{ ä: 1, '1': 'x' }],
      [{ ä: 'x' }],
    ],
  ]),
  ...rows('propertyNames', [
    ['a pattern', { propertyNames: { pattern: '^[a-z]+$' } }, [{}, { abc: 1 }], [{ A: 1 }, { a1: 1 }]],
    ['a length', { propertyNames: { maxLength: 3 } }, [{ abc: 1 }], [{ abcd: 1 }]],
    ['none at all', { propertyNames: false }, [{}], [{ a: 1 }]],
    ['other types', { propertyNames: { maxLength: 1 } }, ['abc', ['abc'], 1], []],
  ]),
  ...rows('items and prefixItems', [
    ['every item', { items: { type: 'integer' } }, [[], [1, 2], {}, 'x'], [[1, 'a'], [null]]],
    [
      'the first ones by place',
      { prefixItems: [{ type: 'string' }, { type: 'number' }] },
      [[], ['a'], ['a', 1], ['a', 1, null]],
      [[1], ['a', 'b']],
    ],
    [
      'the rest by a schema',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [['a'], ['a', 1, 2]],
      [['a', 'b'], [1]],
    ],
    ['no rest', { prefixItems: [{}, {}], items: false }, [[], [1], [1, 2]], [[1, 2, 3]]],
    ['nested lists', { items: { items: { type: 'number' } } }, [[[1], []], []], [[['a']], [[1], [null]]]],
    [
      'does not see what prefixItems elsewhere names',
      { allOf: [{ prefixItems: [{ minimum: 3 }] }], items: { minimum: 5 } },
      [[5, 5]],
      [[3, 5]],
    ],
  ]),
  ...rows('contains', [
    ['at least one', { contains: { minimum: 5 } }, [[1, 5], [6], {}, 'x'], [[], [1, 2]]],
    [
      'so many',
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[1], [1, 1, 1, 1], []],
    ],
    ['none is enough', { contains: { const: 1 }, minContains: 0 }, [[], [2], [1]], []],
    ['none, and not too many', { contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]],
    ['limits without contains mean nothing', { minContains: 2, maxContains: 1 }, [[], [1, 1, 1]], []],
    ['anything', { contains: true }, [[null]], [[]]],
    ['nothing', { contains: false }, [{}], [[], [1]]],
  ]),
  ...rows('allOf, anyOf, oneOf, not', [
    ['all', { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [1, 3, 'x'], [0, 4]],
    ['any', { anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 3, null], [1]],
    ['exactly one', { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
    ['none of one', { oneOf: [{ type: 'string' }] }, ['a'], [1]],
    ['not', { not: { type: ['integer', 'boolean'] } }, ['a', 1.5, null], [1, true]],
    ['not everything', { not: {} }, [], [1, null, 'a']],
    ['not nothing', { not: false }, [1, null], []],
    ['twice not', { not: { not: { type: 'string' } } }, ['a'], [1]],
    [
      'nested combinations',
      { allOf: [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { not: { const: 'no' } }] },
      ['yes', 1],
      ['no', null],
    ],
    [
      'told apart by a constant',
      {
        oneOf: [
          { properties: { kind: { const: 'a' } }, required: ['kind', 'x'] },
          { properties: { kind: { const: 'b' } }, required: ['kind', 'y'] },
        ],
      },
      [
        { kind: 'a', x: 1 },
        { kind: 'b', y: 1 },
      ],
      [{ kind: 'a', y: 1 }, { kind: 'c', x: 1, y: 1 }, {}],
    ],
    ['beside other keywords', { type: 'number', anyOf: [{ minimum: 3 }, { multipleOf: 2 }] }, [3, 2, 7.5], [1, 'a']],
  ]),
  ...rows('if, then, else', [
    [
      'then',
      { if: { properties: { a: { const: 1 } }, required: ['a'] }, then: { required: ['b'] } },
      [{ a: 2 }, {}, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    ['else', { if: { type: 'string' }, else: { minimum: 5 } }, ['x', 5, null], [4]],
    ['both', { if: { minimum: 0 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } }, [0, 2, -3], [1, -2]],
    ['then without if means nothing', { then: { type: 'string' }, else: { type: 'string' } }, [1], []],
    ['if alone asserts nothing', { if: { type: 'string' } }, [1, 'a'], []],
    [
      'if true and if false',
      {
        allOf: [
          { if: true, then: { minimum: 1 } },
          { if: false, else: { maximum: 3 } },
        ],
      },
      [1, 3],
      [0, 4],
    ],
  ]),
  ...rows('dependentSchemas', [
    [
      'only where the member is given',
      { dependentSchemas: { a: { required: ['b'], maxProperties: 2 } } },
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }, { a: 1, b: 1, c: 1 }],
    ],
    ['true and false', { dependentSchemas: { a: true, b: false } }, [{ a: 1 }, {}], [{ b: 1 }]],
  ]),
  ...rows('unevaluatedProperties', [
    [
      'nothing beside what is named here',
      { properties: { a: {} }, unevaluatedProperties: false },
      [{ a: 1 }, {}],
      [{ b: 1 }],
    ],
    [
      'sees what allOf names',
      { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }], unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [
      'sees only alternatives that fit',
      {
        anyOf: [
          { properties: { a: { const: 1 } }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 2 }],
      [{ a: 2 }, { a: 2, b: 1 }],
    ],
    [
      'sees the branch that was taken',
      {
        if: { required: ['a'] },
        then: { properties: { a: {}, b: {} } },
        else: { properties: { c: {} } },
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1, c: 1 }, { b: 1 }],
    ],
    [
      'sees through references',
      {
        $ref: '#/$defs/base',
        properties: { b: {} },
        unevaluatedProperties: false,
        $defs: { base: { properties: { a: {} } } },
      },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [
      'sees nothing of not',
      { not: { properties: { a: { const: 1 } }, required: ['a', 'b'] }, unevaluatedProperties: false },
      [{}],
      [{ a: 2 }],
    ],
    [
      'the rest by a schema',
      { properties: { a: {} }, unevaluatedProperties: { type: 'number' } },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    [
      'sees dependent schemas',
      { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ b: 1 }],
    ],
    ['sees additionalProperties', { additionalProperties: true, unevaluatedProperties: false }, [{ z: 1 }], []],
  ]),
  ...rows('unevaluatedItems', [
    [
      'nothing beside what is named here',
      { prefixItems: [{}, {}], unevaluatedItems: false },
      [[1, 2], []],
      [[1, 2, 3]],
    ],
    [
      'sees what allOf names',
      { allOf: [{ prefixItems: [{}] }, { prefixItems: [true, true] }], unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    ['sees items', { items: {}, unevaluatedItems: false }, [[1, 2, 3]], []],
    [
      'sees items that contains accepted',
      { contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
      [['a', 1], ['a']],
      [['a', null]],
    ],
    [
      'the rest by a schema',
      { prefixItems: [{ type: 'string' }], unevaluatedItems: { type: 'number' } },
      [['a', 1]],
      [['a', 'b']],
    ],
  ]),
]
