/** The form of every timestamp of the interface: UTC, whole seconds, `YYYY-MM-DDThh:mm:ssZ`. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
