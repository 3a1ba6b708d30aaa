import * as v from "valibot";
import { key } from "#/i18n/key";

const filled = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", key("contact.required")),
);

/** All four are required. */
export const contactSchema = v.object({
  name: filled,
  email: v.pipe(
    filled,
    v.check(
      (text) => text.trim() === "" || v.is(v.pipe(v.string(), v.email()), text.trim()),
      key("contact.emailInvalid"),
    ),
  ),
  subject: filled,
  message: filled,
});

export type ContactValues = v.InferOutput<typeof contactSchema>;
