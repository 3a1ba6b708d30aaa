import { withTexts } from "#/i18n/lazy-with-texts";
import { lazyPart } from "#/shared/lazy-part";

export const loadPhone = withTexts(["phone", "operator"], () => import("./phone-code"));

export const PhonePeople = lazyPart(async () => (await loadPhone()).PhonePeople);
export const PinHint = lazyPart(async () => (await loadPhone()).PinHint);
