/**
 * Preloaded by `--import`: has Node keep compiled code for the next run. Stripping types and compiling
 * is two thirds of loading a build. This is no TypeScript, because stripping the types of one file
 * loads what strips them, 50 ms.
 *
 * It lies with the packages, not where Node would put it: a folder that all users of a machine may
 * write to must not say what runs beside a key, and `npm ci` clears it away. Where it cannot be
 * written, nothing is kept.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.resolve(import.meta.dirname, '../node_modules/.cache/compiled'));
