export const SAFE_PREFIX = 'safe:';
export const UNSAFE_PREFIX = 'unsafe:';
export const PICKLE_PREFIX = 'pickle:';
