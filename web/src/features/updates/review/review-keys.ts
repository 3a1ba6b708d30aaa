import { key } from "#/i18n/key";

/** The page's single-key shortcuts. */
export const reviewKeys = [
  [["J", "↓"], key("review.keys.next")],
  [["K", "↑"], key("review.keys.previous")],
  [["X"], key("review.keys.select")],
  [["A"], key("review.keys.apply")],
  [["R"], key("review.keys.reject")],
  [["E"], key("review.keys.correct")],
  [["M"], key("review.keys.move")],
  [["U"], key("review.keys.undo")],
  [["Shift + A"], key("review.keys.all")],
] as const;
