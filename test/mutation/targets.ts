/** Folders and files whose mutants the tests are to notice. */
export const TARGETS = [
  'src/stock',
  'src/service',
  'src/lib/http/retry.ts',
  'src/lib/http/network-fault.ts',
  'src/videos',
  'src/record',
  'src/images/recipes.ts',
  'src/publish/gates',
  'src/publish/change-set',
  'src/batches/pull',
  'src/batches/model/drift.ts',
  'src/batches/model/reach.ts',
] as const;

/** Tests that are to notice them. */
export const TESTS = [
  'test/unit/{stock,service,videos,record,batches}/**/*.test.ts',
  'test/unit/lib/{retry,network-fault}.test.ts',
  'test/unit/images/recipes*.test.ts',
  'test/unit/publish/{gates*,change-set}.test.ts',
];
