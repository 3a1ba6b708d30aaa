//! Error codes of this service and their English messages.

pub use hourmeter_runtime::refusals::DECISION_UNKNOWN;

hourmeter_runtime::refusals! {
    ALREADY_SUBSCRIBED: "You already have a subscription.",
    CHECKOUT_CLOSED: "This checkout is closed. Please choose your plan again.",
    CHECKOUT_IN_PROGRESS: "Another checkout is being opened. Please try again in a moment.",
    CHECKOUT_REQUIRED: "Please choose a plan and check out first.",
    CLOCK_DAYS_OUT_OF_RANGE: "Must be 1 to 400, and at most 3660 days ahead in all.",
    EQUIPMENT_LIMIT_OUT_OF_RANGE: "Must be 0 to 1,000,000, or -1 for no limit.",
    INTERVAL_UNKNOWN: "Must be month or year.",
    NOT_A_PAYMENT_EVENT: "Invalid webhook signature.",
    PAYMENT_DECLINED: "The card was declined. Please update your card under Invoices and card, then try again.",
    PAYMENT_REFUSED: "The payment provider did not accept this. Please check your subscription.",
    PLAN_UNKNOWN: "Please choose one of the plans.",
    SUBSCRIPTION_ACTIVE: "Your subscription is active.",
    SUBSCRIPTION_AGREED: "Your plan was agreed on with support.",
    SUBSCRIPTION_CANCELED: "Your subscription is canceled already.",
    SUBSCRIPTION_CHANGE_IN_PROGRESS: "Another change of your subscription is being made. Please try again in a moment.",
    SUBSCRIPTION_ENDED: "Your subscription has ended already.",
    SUBSCRIPTION_IN_TRIAL: "Your subscription is in its free trial.",
    SUBSCRIPTION_PAID_THROUGH_PROVIDER: "This company pays through the payment provider.",
    SUBSCRIPTION_PAUSED: "Your subscription is paused.",
    SUBSCRIPTION_PAYMENT_FAILED: "Your last payment failed. Please update your card first.",
    TRIAL_ALREADY_LONGER: "The trial runs longer than that already.",
    TRIAL_NOT_RUNNING: "This company is not in a trial that was never paid.",
}
