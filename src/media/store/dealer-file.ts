export {
  withChecksum as sealed,
  withoutChecksum as unsealed,
} from '../../files/checksum.ts';
export { dealerOf } from '../../record/known-pictures.ts';
