import { key, type TextKey } from "#/i18n/key";

/** The server speaks English; its fixed sentences are matched here so that Spanish readers get theirs. */
const textByMessage: Partial<Record<string, TextKey>> = {
  "Please sign in.": key("errors.sessionEnded"),
  "Invalid email, business name or password": key("errors.invalidOwnerLogin"),
  "Invalid operator name or password": key("errors.invalidOperatorLogin"),
  "That email or business name is already in use.": key("errors.nameTaken"),
  "That business name is already in use.": key("settings.company.nameTaken"),
  "That email is already in use.": key("profile.emailTaken"),
  "Please enter a valid email address.": key("profile.emailInvalid"),
  "Please enter a valid secondary email address.": key("profile.secondaryInvalid"),
  "Your current password is incorrect.": key("profile.password.wrong"),
  "The operator password must not be the password of an owner or manager.": key(
    "settings.operators.passwordPersonal",
  ),
  "A manager's password was changed at the same moment. Please try again.": key(
    "settings.operators.passwordRace",
  ),
  "Please choose a valid time zone.": key("settings.company.zoneInvalid"),
  "Something went wrong. Please try again.": key("errors.server"),
  "Please fill in all required fields.": key("errors.requiredFields"),
  "Contains characters that are not allowed.": key("errors.characters"),
  "Business name must be at least 2 characters": key("auth.signup.businessNameShort"),
  "Please enter a valid email address": key("auth.signup.emailInvalid"),
  "Password must be at least 6 characters": key("auth.signup.passwordShort"),
  "Password must be at most 128 characters": key("errors.passwordLong"),
  "Password must be at most 64 characters": key("errors.operatorPasswordLong"),
  "No account found with that email or business name, or security questions not set up.": key(
    "auth.forgot.notFoundText",
  ),
  "Security answers are incorrect. Please try again.": key("auth.forgot.wrongAnswers"),
  "Incorrect password": key("auth.reauth.wrong"),
  "This password is too common. Please choose another one.": key("errors.passwordCommon"),
  "The password must not be your name, email, business name or the product's name.":
    key("errors.passwordKnown"),
  "Please choose another password.": key("errors.passwordOther"),
  "The password must not be the operator password.": key("admin-tools.isShared"),
  "Only the owner can change the owner's password.": key("admin-tools.ownersOwn"),
  "The operator password was changed at the same moment. Please try again.": key(
    "admin-tools.changedMeanwhile",
  ),
  "Please fill in all security questions and answers.": key("auth.questions.missing"),
  "Please choose different security questions.": key("auth.questions.same"),
  "Please choose a question from the list.": key("errors.questionUnknown"),
  "Answers must be 2 to 100 characters.": key("errors.answerLength"),
  "The answer must not be your email, business name or password.": key("errors.answerKnown"),
  "No operator password has been set.": key("server.noOperatorPassword"),
  "Only the owner can change a manager.": key("server.onlyOwnerManager"),
  "Only the owner can change the owner's name.": key("server.onlyOwnerName"),
  "Only the owner can remove a manager.": key("server.onlyOwnerRemoves"),
  "A company can have at most 50 managers. Please remove one before adding another.":
    key("server.managerLimit"),
  "This request is still being processed. Please try again in a moment.": key("server.inProgress"),
  "The owner can't be removed.": key("server.ownerStays"),
  "You can't remove yourself.": key("server.notYourself"),
  "To change your own name, please use your profile.": key("server.ownName"),
  "To change your own password, please use change password in your profile.":
    key("server.ownPassword"),
  "Please enter a new password.": key("server.newPassword"),
  "You do not have permission to do this.": key("server.notAllowed"),
  "Please enter your operator name": key("server.operatorName"),
  "Please enter a limit.": key("server.enterLimit"),
  "The request is too large.": key("server.tooLarge"),
  "The request took too long to arrive.": key("server.tooSlow"),
  "Somebody else is signed in on this device.": key("server.otherPerson"),
  "This update is already for this equipment.": key("server.sameEquipment"),
  "This update's id is already taken.": key("server.idTaken"),
  "The meter was read after this. Replace the meter on the equipment instead.":
    key("server.meterReadAfter"),
  "This equipment has no meter.": key("server.noMeter"),
  "The meter has changed since. Please reload it and try again.": key("server.meterChanged"),
  "The new meter has been read since. Void what was read on it first.":
    key("server.meterReadSince"),
  "Only usage, services, notes and replaced meters can be voided.": key(
    "equipment-detail.void.notVoidable",
  ),
  "Enter what the meter shows now.": key("server.enterMeter"),
  "Must not be above the reading.": key("server.startAboveReading"),
  "Another change of your subscription is being made. Please try again in a moment.":
    key("server.anotherChange"),
  "Another checkout is being opened. Please try again in a moment.": key("server.anotherCheckout"),
  "The payment provider did not accept this. Please check your subscription.":
    key("server.providerRefused"),
  "The card was declined. Please update your card under Invoices and card, then try again.":
    key("server.cardDeclined"),
  "The payment provider is not available right now. Please try again.":
    key("errors.paymentProvider"),
  "You already have a subscription.": key("server.alreadySubscribed"),
  "Please choose a plan and check out first.": key("server.checkoutRequired"),
  "This checkout is closed. Please choose your plan again.": key("server.checkoutClosed"),
  "Your subscription is in its free trial.": key("server.inTrial"),
  "Your subscription has ended already.": key("server.ended"),
  "Your subscription is active.": key("server.isActive"),
  "Your last payment failed. Please update your card first.": key("server.paymentFailed"),
  "Your plan was agreed on with support.": key("server.agreedPlan"),
  "Your subscription is paused.": key("server.isPaused"),
  "Your subscription is canceled already.": key("server.isCanceled"),
  "This company is not in a trial that was never paid.": key("server.notInTrial"),
  "This company pays through the payment provider.": key("server.paysProvider"),
  "The trial runs longer than that already.": key("server.trialLonger"),
  "Please choose one of the plans.": key("server.choosePlan"),
  "Must be 1 to 400, and at most 3660 days ahead in all.": key("server.clockDays"),
  "Must be 1 to 365.": key("server.trialDays"),
  "Must be 1 to 3660.": key("server.planDays"),
  "Must be 3 or 6.": key("server.pauseMonths"),
  "Must be month or year.": key("server.interval"),
  "Password is required": key("auth.ownerLogin.passwordRequired"),
  "Please enter your email or business name": key("auth.ownerLogin.nameRequired"),
  "Email or business name is required": key("auth.forgot.nameRequired"),
  "Please confirm your password.": key("errors.reauthRequired"),
  "Please enter your current password.": key("profile.password.currentRequired"),
  "Please enter at least one setting to update.": key("operators.settings.noChangesText"),
  "Please give a reason of at least 10 characters.": key("admin-accounts.reason.short"),
};

/** The key of a sentence the client has in both languages; null for any other. */
export function serverTextKey(message: string | null): TextKey | null {
  return textByMessage[message ?? ""] ?? null;
}
