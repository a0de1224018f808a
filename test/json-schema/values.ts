import { type Row, rows } from './table.ts'

/** Keywords that look at one value alone. */
export const valueRows: readonly Row[] = [
  ...rows('boolean schemas', [
    ['true accepts everything', true, [1, 'a', null, {}, []], []],
    ['false accepts nothing', false, [], [1, 'a', null, {}, []]],
    ['an empty schema accepts everything', {}, [1, 'a', null, { a: 1 }, [1]], []],
    ['unknown keywords change nothing', { colour: 'red', type: 'string' }, ['a'], [1]],
  ]),
  ...rows('type', [
    ['string', { type: 'string' }, ['', 'a', '1'], [1, null, true, [], {}]],
    ['number', { type: 'number' }, [0, -1, 1.5, 1e308], ['1', null, true, [], {}]],
    [
      'integer is a number without a fraction, however it is written',
      { type: 'integer' },
      [1, 1.0, -3, 1e3, 9007199254740991],
      [1.1, '1', null],
    ],
    ['boolean', { type: 'boolean' }, [true, false], [0, 1, 'true', null]],
    ['null', { type: 'null' }, [null], [0, '', false, {}]],
    ['object is no list and no null', { type: 'object' }, [{}, { a: 1 }], [[], null, 'a']],
    ['array', { type: 'array' }, [[], [1]], [{}, 'a', null]],
    ['one of several', { type: ['integer', 'null'] }, [1, null], [1.5, '1', []]],
    ['several, with number and integer', { type: ['string', 'number'] }, ['a', 1.5, 2], [null, true]],
  ]),
  ...rows('enum', [
    ['plain values', { enum: [1, 'two', null, false] }, [1, 'two', null, false], [2, '1', true, 0]],
    [
      'lists and objects by content, whatever the order of members',
      { enum: [{ a: 1, b: [2] }, [1]] },
      [{ b: [2], a: 1 }, [1]],
      [{ a: 1 }, [1, 1], { a: 1, b: [2], c: 3 }],
    ],
    ['numbers and texts differ', { enum: ['1', 0] }, ['1', 0], [1, '0', false]],
    ['an empty list accepts nothing', { enum: [] }, [], [1, null]],
  ]),
  ...rows('const', [
    ['a text', { const: 'a' }, ['a'], ['b', '', null]],
    ['zero is not false, and one is not true', { const: 0 }, [0], [false, '0', null]],
    ['false', { const: false }, [false], [0, [], null]],
    ['null', { const: null }, [null], [0, '', {}]],
    ['a list of a list', { const: [[1]] }, [[[1]]], [[1], [[2]], [[1], 1]]],
    ['an object', { const: { a: { b: null } } }, [{ a: { b: null } }], [{ a: {} }, { a: { b: null, c: 1 } }]],
  ]),
  ...rows('minimum and maximum', [
    ['the limit itself fits', { minimum: 1, maximum: 3 }, [1, 2.5, 3], [0.999, 3.001, -5]],
    ['the limit itself does not fit', { exclusiveMinimum: 1, exclusiveMaximum: 3 }, [1.001, 2], [1, 3, 0]],
    ['negative limits', { minimum: -2 }, [-2, 0], [-2.0001, -3]],
    ['say nothing about other types', { minimum: 5 }, ['a', null, [], {}, true], [4]],
    ['large numbers', { maximum: 9007199254740991 }, [9007199254740991], [9007199254740992, 1e300]],
  ]),
  ...rows('multipleOf', [
    ['integers', { multipleOf: 3 }, [0, 3, -9], [1, 4, 2.5]],
    ['decimals that binary cannot say', { multipleOf: 0.01 }, [0.07, 19.99, 4.35, 1.1, 0], [0.005, 1.001]],
    ['decimals below one', { multipleOf: 0.0001 }, [0.0075], [0.00751]],
    ['large values', { multipleOf: 0.5 }, [1e20, 1e308], [1.2]],
    ['other types', { multipleOf: 2 }, ['a', null], [3]],
  ]),
  ...rows('minLength and maxLength', [
    ['characters', { minLength: 2, maxLength: 3 }, ['ab', 'abc'], ['a', 'abcd', '']],
    [
      'a character outside the basic plane counts once',
      { minLength: 2, maxLength: 2 },
      ['💩💩', 'a💩', '𝒳y'],
      ['💩', '💩💩💩'],
    ],
    ['combining marks count for themselves', { maxLength: 1 }, ['é'], ['e\u0301']],
    ['other types', { minLength: 2 }, [1, null, []], ['']],
  ]),
  ...rows('pattern', [
    ['is not anchored', { pattern: 'b+' }, ['abbc', 'b'], ['', 'ac']],
    ['can be anchored', { pattern: '^a*$' }, ['', 'aaa'], ['ab', 'a b']],
    ['knows unicode properties', { pattern: '^\\p{Lu}' }, ['Ärger', 'A'], ['ärger', '1']],
    ['takes a whole character for a dot', { pattern: '^.$' }, ['💩', 'a'], ['ab', '']],
    ['other types', { pattern: '^a' }, [1, null, {}], ['b']],
  ]),
  ...rows('minItems, maxItems, uniqueItems', [
    ['counts', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    ['other types', { minItems: 1 }, ['', {}, null], [[]]],
    [
      'plain values',
      { uniqueItems: true },
      [[], [1, 2], [1, '1'], [0, false], [1, true]],
      [
        [1, 1],
        ['a', 'b', 'a'],
        [null, null],
      ],
    ],
    [
      'objects and lists by content',
      { uniqueItems: true },
      [
        [{ a: 1 }, { a: 2 }],
        [[1], [2]],
        [{ a: 1 }, [1]],
      ],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[1], [1]],
      ],
    ],
    ['false asks for nothing', { uniqueItems: false }, [[1, 1]], []],
  ]),
  ...rows('minProperties, maxProperties, required', [
    ['counts', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 1, b: 2, c: 3 }]],
    ['other types', { minProperties: 1, required: ['a'] }, [[], '', null], [{}]],
    ['required', { required: ['a', 'b'] }, [{ a: null, b: 0 }], [{ a: 1 }, {}]],
    [
      'names of the prototype are not there by themselves',
      { required: ['toString', 'constructor', '__proto__'] },
      [],
      [{}],
    ],
    ['odd names', { required: ['a b', 'a"b', 'a/b', 'ä'] }, [{ 'a b': 1, 'a"b': 1, 'a/b': 1, ä: 1 }], [{ 'a b': 1 }]],
    ['nothing required', { required: [] }, [{}], []],
  ]),
  ...rows('dependentRequired', [
    [
      'only where the member is given',
      { dependentRequired: { a: ['b', 'c'] } },
      [{}, { b: 1 }, { a: 1, b: 1, c: 1 }],
      [{ a: 1 }, { a: 1, b: 1 }],
    ],
    ['two at once', { dependentRequired: { a: ['b'], b: ['a'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }, { b: 1 }]],
    ['nothing asked', { dependentRequired: { a: [] } }, [{ a: 1 }], []],
  ]),
  ...rows('annotations', [
    [
      'title, default, examples and the rest assert nothing',
      { title: 'x', description: 'y', default: 1, examples: [2], deprecated: true, readOnly: true },
      ['a', null],
      [],
    ],
    [
      'content keywords assert nothing',
      { contentMediaType: 'application/json', contentEncoding: 'base64' },
      ['{', '%'],
      [],
    ],
  ]),
]
