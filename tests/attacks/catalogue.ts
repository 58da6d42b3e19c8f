export type KindId = number | string;
