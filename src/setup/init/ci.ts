/** What can rebuild a site by itself: values of `--ci`. */
export const CI = ['github', 'gitlab', 'none'] as const;
