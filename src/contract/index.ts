/** Only the service interface: schemas and the types inferred from them. */
export * from './batch.ts';
export * from './media.ts';
export * from './parse.ts';
