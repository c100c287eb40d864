// The mistakes that scripts/check looks for in the scripts of the pages. What is not
// declared, and what has the wrong type, the type checker says.
export default [{
  languageOptions: { ecmaVersion: 'latest', sourceType: 'module' },
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: {
    'no-unused-vars': ['error', { varsIgnorePattern: '^_+$' }],
    ...Object.fromEntries([
      'array-callback-return', 'constructor-super', 'default-case-last', 'eqeqeq', 'for-direction', 'getter-return', 'no-alert', 'no-async-promise-executor', 'no-caller',
      'no-case-declarations', 'no-class-assign', 'no-compare-neg-zero', 'no-cond-assign', 'no-const-assign', 'no-constant-binary-expression',
      'no-constant-condition', 'no-constructor-return', 'no-debugger', 'no-dupe-class-members', 'no-dupe-else-if', 'no-dupe-keys',
      'no-duplicate-case', 'no-duplicate-imports', 'no-else-return', 'no-empty-character-class', 'no-empty-pattern', 'no-eval', 'no-ex-assign',
      'no-extra-bind', 'no-fallthrough', 'no-func-assign', 'no-global-assign', 'no-implied-eval', 'no-import-assign', 'no-invalid-regexp',
      'no-lone-blocks', 'no-loss-of-precision', 'no-misleading-character-class', 'no-new-func', 'no-new-wrappers', 'no-obj-calls',
      'no-octal-escape', 'no-proto', 'no-prototype-builtins', 'no-redeclare', 'no-self-assign', 'no-self-compare',
      'no-shadow-restricted-names', 'no-sparse-arrays', 'no-template-curly-in-string', 'no-this-before-super', 'no-throw-literal', 'no-unexpected-multiline',
      'no-unmodified-loop-condition', 'no-unreachable', 'no-unreachable-loop', 'no-unsafe-finally', 'no-unsafe-negation', 'no-unsafe-optional-chaining', 'no-unused-private-class-members',
      'no-useless-backreference', 'no-useless-call', 'no-useless-catch', 'no-useless-concat', 'no-useless-constructor',
      'no-useless-escape', 'no-useless-rename', 'no-useless-return', 'no-var', 'no-with', 'object-shorthand', 'prefer-const',
      'prefer-promise-reject-errors', 'prefer-rest-params', 'prefer-spread', 'radix', 'require-yield', 'symbol-description',
      'use-isnan', 'valid-typeof', 'yoda',
    ].map((rule) => [rule, 'error'])),
  },
}];
