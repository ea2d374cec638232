export const scheduleIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
